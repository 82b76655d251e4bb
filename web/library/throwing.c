// What throwing needs besides the sources of ziglang (throwing.cmake).

// The tag that every `throw` names: clang 22 refers to it and defines it nowhere.
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");

// With one thread, its end is that of the program.
int __cxa_atexit(void (*end)(void*), void* object, void* library);
int __cxa_thread_atexit(void (*end)(void*), void* object, void* library) { return __cxa_atexit(end, object, library); }
