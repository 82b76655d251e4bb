#pragma once
// Two times the number.
int twice(int x);
