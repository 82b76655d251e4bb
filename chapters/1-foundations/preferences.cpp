void page() {}
