#include <recto/data/landmarks.hpp>

namespace RECTO::data {

double Landmark::flops() const { return stated > 0 ? stated : training_flops(multiply_adds, samples); }

const std::vector<Landmark>& landmarks() {
    constexpr std::string_view language = "language", vision = "vision", games = "games", speech = "speech";
    // Images: multiply-adds of one image, and images times passes. ImageNet has 1.28 million images.
    static const std::vector<Landmark> all = {
        {"zip codes", 1989.9, vision, 0, 64'660, 7291. * 23, "lecun1989"},
        {"LeNet-5", 1998.9, vision, 0, 340'908, 60e3 * 20, "lecun1998"},
        {"AlexNet", 2012.9, vision, 4.7e17, 0, 0, "sevilla2022"},
        {"VGG-16", 2014.7, vision, 0, 15.3e9, 1.28e6 * 74, "simonyan2015"},
        {"Deep Speech 2", 2015.9, speech, 2e19, 0, 0, "amodei2016"},
        {"ResNet-152", 2015.95, vision, 0, 11.3e9, 256 * 600e3, "he2016"},
        {"GNMT", 2016.7, language, 1.4e20, 0, 0, "vaswani2017"},
        {"ConvS2S", 2017.4, language, 1.5e20, 0, 0, "vaswani2017"},
        {"Transformer", 2017.5, language, 2.3e19, 0, 0, "vaswani2017"},
        {"AlphaZero", 2017.95, games, 3.7e22, 0, 0, "sevilla2022"},
        {"GPT", 2018.5, language, 0.96 * petaflop_day, 0, 0, "radford2018"},
        {"BERT", 2018.8, language, 5.33e20, 0, 0, "brown2020"},
        {"RoBERTa", 2019.6, language, 4.26e21, 0, 0, "brown2020"},
        {"T5", 2019.8, language, 3.3e22, 0, 0, "brown2020"},
        {"OpenAI Five", 2019.95, games, 770 * petaflop_day, 0, 0, "berner2019"},
        {"GPT-3", 2020.4, language, 3.14e23, 0, 0, "brown2020"},
        {"ViT-H/14", 2020.8, vision, 4.262e21, 0, 0, "dosovitskiy2021"},
        {"Gopher", 2021.95, language, 6.31e23, 0, 0, "rae2021"},
        {"LaMDA", 2022.05, language, 3.55e23, 0, 0, "thoppilan2022"},
        {"MT-NLG", 2022.07, language, 0, 530e9, 270e9, "smith2022"},
        {"Chinchilla", 2022.2, language, 5.76e23, 0, 0, "hoffmann2022"},
        {"PaLM", 2022.3, language, 0, 540e9, 780e9, "chowdhery2023"},
        {"BLOOM", 2022.85, language, 0, 176e9, 366e9, "scao2022"},
        {"Galactica", 2022.87, language, 0, 120e9, 450e9, "taylor2022"},
        {"LLaMA", 2023.1, language, 0, 65.2e9, 1.4e12, "touvron2023"},
        {"Llama 2", 2023.5, language, 0, 70e9, 2e12, "touvron2023b"},
        {"Falcon", 2023.9, language, 0, 180e9, 3.5e12, "almazrouei2023"},
        {"Llama 3.1", 2024.55, language, 3.8e25, 0, 0, "grattafiori2024"},
        {"Gemma 2", 2024.6, language, 0, 27e9, 13e12, "gemma2024"},
        {"Qwen2.5", 2024.95, language, 0, 72e9, 18e12, "qwen2024"},
        {"DeepSeek-V3", 2024.98, language, 0, 37e9, 14.8e12, "deepseek2024"},
    };
    return all;
}

}  // namespace RECTO::data
