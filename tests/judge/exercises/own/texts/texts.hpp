#pragma once
#include <string>
#include <vector>

// The numbers from 0 up to, but not with, count, written as texts.
std::vector<std::string> texts(int count);
