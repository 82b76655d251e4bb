#include "vae.hpp"

#include "not_written.hpp"

std::vector<double> divergence(const Code& code) {
    (void)code;
    not_written("divergence");
}

Matrix latents(const Code& code, const Matrix& noise) {
    (void)code, (void)noise;
    not_written("latents");
}

double loss(Vae& vae, const Matrix& x, const Matrix& noise) {
    (void)vae, (void)x, (void)noise;
    not_written("loss");
}
