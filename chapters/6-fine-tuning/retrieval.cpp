// # Retrieval-augmented generation: answers from notes
//
// ```{rows} sys-embedding-retrieval sys-rag claim-rag-external-knowledge
// ```
//
// What a language model knows stands in its weights, and ends on the day of its training. A note on a sheet of paper is
// different: anyone can add one, correct one, or take one away. Can a model answer from notes that it has never seen?
// {numref}`fig-rag` shows a small [GPT](../architectures/mini_gpt.cpp) doing so. A search finds three of 300 notes, they
// are put into the prompt, and the model answers. Move the slider through the questions. In the second panel a note was
// edited after the training. The weights are the same.
//
// ```{opening} fig-rag
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/sha256.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/respond.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/text/retrieval.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;
using nn::Exchange;

const book::Option<Index> passes("steps", 300, "steps of each training",
                                 {.quick = 10, .least = 1, .most = 100'000});
const book::Option<Index> dimensions("dimensions", 1024,
                                     "numbers in the vector of a text",
                                     {.least = 1, .most = 65'536});
//-

// ## Three hundred notes
//
// Each note says one thing about one person, such as *Mira lives in Oslo.* There are 60 people and five kinds of
// facts. The facts themselves are drawn at random, so nothing about Mira suggests where she lives.
//- names, templates, and what is drawn
const std::vector<std::string> people = {
    "Mira",   "Tomas", "Ilse",   "Jonas",   "Petra", "Hugo",   "Clara", "Anton",
    "Greta",  "Oskar", "Nadia",  "Ruben",   "Selma", "Viktor", "Lena",  "Basil",
    "Frieda", "Emil",  "Dora",   "Kaspar",  "Wanda", "Felix",  "Olga",  "Simon",
    "Judit",  "Marek", "Birgit", "Leo",     "Xenia", "Arvid",  "Sofie", "Henrik",
    "Zora",   "Paul",  "Agnes",  "Milo",    "Tilda", "Conrad", "Ines",  "Edgar",
    "Luise",  "Boris", "Hanna",  "Ottmar",  "Vera",  "Gustav", "Rosa",  "Yannick",
    "Elke",   "Dario", "Monika", "Quentin", "Ulla",  "Falk",   "Nora",  "Irmgard",
    "Jakob",  "Thea",  "Wim",    "Carla"};
struct Kind {
    std::string_view note, question, other_words;
    std::vector<std::string> values;
};
const std::vector<Kind> kinds = {
    {"{} lives in {}.",
     "Where does {} live?",
     "In which town is {} at home?",
     {"Oslo",   "Lisbon", "Vienna", "Prague", "Dublin", "Geneva", "Turin",
      "Ghent",  "Riga",   "Bergen", "Porto",  "Malmo",  "Krakow", "Split",
      "Bilbao", "Nantes", "Leeds",  "Basel",  "Zagreb", "Tartu"}},
    {"{} works as a {}.",
     "What does {} work as?",
     "How does {} earn money?",
     {"baker",  "teacher", "nurse",  "plumber", "judge",  "miller", "tailor",
      "farmer", "painter", "sailor", "doctor",  "barber", "potter", "writer",
      "pilot",  "joiner",  "cook",   "singer",  "guard",  "lawyer"}},
    {"{} plays the {}.",
     "What does {} play?",
     "Which instrument belongs to {}?",
     {"flute", "cello",    "harp",  "trumpet",  "violin", "drums",   "guitar",
      "oboe",  "lute",     "tuba",  "piano",    "banjo",  "bassoon", "clarinet",
      "organ", "recorder", "viola", "trombone", "zither", "fiddle"}},
    {"{} keeps a {}.",
     "What does {} keep?",
     "Which pet belongs to {}?",
     {"goat",    "parrot", "rabbit", "pony",   "tortoise", "duck",  "ferret",
      "hamster", "donkey", "canary", "lizard", "sheep",    "goose", "cat",
      "dog",     "pigeon", "snake",  "turkey", "mouse",    "llama"}},
    {"{} grows {}.",
     "What does {} grow?",
     "Which plant is in the garden of {}?",
     {"tulips",  "beans",    "roses",   "leeks",   "onions",  "cherries", "melons",
      "carrots", "pumpkins", "dahlias", "figs",    "lemons",  "peas",     "plums",
      "quinces", "radishes", "spinach", "turnips", "violets", "walnuts"}}};
const Index persons = 60, sorts = 5, choices = 20;

struct Note {
    Index person, kind, value;
    bool operator==(const Note&) const = default;
};
using Base = std::vector<Note>;  // the note on person p of kind k is at 5 p + k

// A base whose facts occur in none of the others.
Base random_base(const std::vector<Base>& others, Generator& random) {
    Base made;
    for (Index p = 0; p < persons; ++p)
        for (Index k = 0; k < sorts; ++k) {
            Note note{p, k, 0};
            do note.value = random.next_integer(0, choices);
            while (std::ranges::any_of(
                others, [&](const Base& other) { return other[made.size()] == note; }));
            made.push_back(note);
        }
    return made;
}
std::string filled(std::string_view words, const std::string& a, const std::string& b) {
    std::string made;
    for (std::size_t i = 0, hole = 0; i < words.size(); ++i)
        if (words[i] == '{')
            made += hole++ == 0 ? a : b, ++i;
        else
            made += words[i];
    return made;
}
std::string text_of(const Note& note) {
    const Kind& kind = kinds[std::size_t(note.kind)];
    return filled(kind.note, people[std::size_t(note.person)],
                  kind.values[std::size_t(note.value)]);
}
std::vector<std::string> texts_of(const Base& base) {
    std::vector<std::string> texts;
    for (const Note& note : base) texts.push_back(text_of(note));
    return texts;
}
std::vector<std::string> questions(bool in_other_words = false) {
    std::vector<std::string> texts;
    for (const std::string& person : people)
        for (const Kind& kind : kinds)
            texts.push_back(
                filled(in_other_words ? kind.other_words : kind.question, person, ""));
    return texts;
}
//-

// ## Texts as vectors
//
// To search, each text becomes a vector, its **embedding**, and the vectors of a question and of its note should point in
// similar directions. Such a vector can be learned, with pairs of questions and notes. Here the names and five templates
// are all there is to learn, so we take an embedding that needs no training: count the groups of three letters. *Wim*
// holds *wim*, and with the spaces around it two more. Some groups stand in every fifth note, such as *liv* from *lives*,
// and some only in Wim's five. A count is multiplied by $\log(N / n)$ for a group that stands in $n$ of $N$ notes, so that
// rare groups weigh more: $\log(300 / 60) = 1.6$ for *liv*, and $\log(300 / 5) = 4.1$ for *wim*. These weights are called
// **TF-IDF**, term frequency times inverse document frequency. Each group has a place among 1,024 numbers, chosen by a
// hash. Two groups may get the same place, and then they count as one: *mir* shares its place with *ona* of Jonas, so that
// it weighs less. The similarity of a question $q$ and a note $x$ is the cosine of the angle between their
// vectors:
//
// ```{equation} eq-retrieval-cosine
// :function: recto::text::nearest
// :test: retrieval: the nearest documents are those of a search through all
// \cos(q, x) = \frac{q \cdot x}{\lVert q \rVert\, \lVert x \rVert}
// ```
//
// For 300 notes one product of matrices gives all cosines, and the three largest are the answer of the search:
std::vector<std::vector<Note>> found_notes(const Base& base,
                                           const std::vector<std::string>& asked,
                                           Index count = 3) {
    const std::vector<std::string> texts = texts_of(base);
    const text::TrigramEmbedding embedding(texts, dimensions());
    const TopK nearest = text::nearest(embedding(asked), embedding(texts), count);
    std::vector<std::vector<Note>> found(asked.size());
    const std::vector<Index> places = nearest.places.values();
    for (std::size_t i = 0; i < places.size(); ++i)
        found[i / std::size_t(count)].push_back(base[std::size_t(places[i])]);
    return found;
}
// ## Notes in the prompt
//
// The prompt is an instruction, the three notes and the question. For this small model a word is a token: *Mira*, *lives in*
// and *Oslo* are the three tokens of a note.
//- the numbers of the tokens
const Index relation_token = persons, question_token = relation_token + sorts,
            value_token = question_token + sorts,
            instruction = value_token + sorts * choices, blank = instruction + 1,
            tokens = blank + 1;

Index answer_token(const Note& note) {
    return value_token + note.kind * choices + note.value;
}
//-
std::vector<Index> prompt(const std::vector<Note>& notes, Index person, Index kind) {
    std::vector<Index> made = {instruction};
    for (const Note& note : notes)
        made.insert(made.end(),
                    {note.person, relation_token + note.kind, answer_token(note)});
    made.resize(10, blank);  // fewer than three notes
    made.insert(made.end(), {question_token + kind, person});
    return made;
}
//- notes in random order
std::vector<Note> shuffled(const std::vector<Note>& notes, Generator& random) {
    std::vector<Note> made;
    for (const Index k : random.permutation(std::ssize(notes)))
        made.push_back(notes[std::size_t(k)]);
    return made;
}
//-
// The model is trained on ten other collections of notes about the same people, with other facts. All facts that it is
// judged by, also those of the edited notes, are absent from them. For each question the search finds three notes, and
// the model learns to write the answer. They stand in a random order: a model could otherwise copy from the first note,
// which is mostly the right one, and never look at its name. One prompt in ten has no notes, so that the model also
// learns the best guess.
nn::Gpt trained(const std::vector<Base>& kept_out, Index steps, Generator& random) {
    nn::Gpt net({.tokens = tokens, .time = 12, .layers = 2, .width = 32, .heads = 2},
                random);
    //- the embeddings begin with a deviation of 0.3, and the prompts are made
    {
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight})
            table.copy_(clone(table) * 15);
    }
    std::vector<Exchange> all;
    for (Index n = 0; n < 10; ++n) {
        const Base base = random_base(kept_out, random);
        const std::vector<std::vector<Note>> found = found_notes(base, questions());
        for (std::size_t i = 0; i < base.size(); ++i)
            all.push_back(
                {prompt(random.next_uniform() < 0.1 ? std::vector<Note>()
                                                    : shuffled(found[i], random),
                        base[i].person, base[i].kind),
                 {answer_token(base[i])}});
    }
    //-
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}});
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr =
            0.01 * std::min(double(step + 1) / 50, 1 - double(step) / double(steps));
        std::vector<Exchange> batch;
        for (int n = 0; n < 64; ++n)
            batch.push_back(all[std::size_t(random.next_integer(0, std::ssize(all)))]);
        optim::train_step(adam, [&] { return nn::response_loss(net, batch); });
    }
    return net;
}
//- answers, and how often they are right
std::vector<Index> answers(const nn::Gpt& net,
                           const std::vector<std::vector<Note>>& notes) {
    std::vector<std::vector<Index>> prompts;
    for (Index i = 0; i < std::ssize(notes); ++i)
        prompts.push_back(prompt(notes[std::size_t(i)], i / sorts, i % sorts));
    std::vector<Index> found;
    for (const nn::Response& one : nn::respond(net, prompts, 1))
        found.push_back(one.tokens[0]);
    return found;
}
double share_right(const std::vector<Index>& answers, const Base& truth) {
    double right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
        right += answers[i] == answer_token(truth[i]);
    return right / double(truth.size());
}
double recall(const Base& base, const std::vector<std::vector<Note>>& found,
              std::size_t among) {
    double right = 0;
    for (std::size_t i = 0; i < base.size(); ++i)
        right += std::find(found[i].begin(), found[i].begin() + long(among), base[i]) !=
                 found[i].begin() + long(among);
    return right / double(base.size());
}
std::string fingerprint(const nn::Gpt& net) {
    data::Sha256 sum;
    for (const NamedTensor& p : nn::state(net)) {
        const std::vector<Real> numbers = p.tensor.values();
        sum.add({reinterpret_cast<const std::uint8_t*>(numbers.data()),
                 numbers.size() * sizeof(Real)});
    }
    return sum.hex();
}
// The notes found for each question when its own note is missing: the three nearest of the others.
std::vector<std::vector<Note>> found_without(const Base& base) {
    std::vector<std::vector<Note>> found = found_notes(base, questions(), 4);
    for (std::size_t i = 0; i < base.size(); ++i) {
        std::erase(found[i], base[i]);
        found[i].resize(3);
    }
    return found;
}
struct Results {
    double recall = 0, first = 0, recall_in_other_words = 0, with = 0, without = 0,
           edited = 0, old_after_edit = 0, removed_right = 0, removed_copied = 0,
           mixed = 0, foreign = 0;
    bool frozen = false;
};
//-
//- one draw of notes and one training, and how the first figure is drawn
void draw_answers(const nn::Gpt& net, const Base& base, const Base& edited) {
    const std::vector<std::string> asked = questions();
    std::vector<double> stops;
    Generator random(7);
    const std::vector<Index> order = random.permutation(std::ssize(base));
    for (int k = 1; k <= 8; ++k) stops.push_back(k);
    Figure figure("fig-rag");
    figure
        .describe(
            "Two panels, each with a question, the three notes that the search "
            "found and the answer of the model. In the second panel the note was "
            "edited, and the answer is another. A slider changes the question.")
        .slider("question", stops, "question", 1);
    for (int p = 0; p < 2; ++p) {
        const Base& now = p == 0 ? base : edited;
        const std::vector<std::vector<Note>> found = found_notes(now, asked);
        const std::vector<Index> given = answers(net, found);
        figure.always().panel(p == 0 ? "the notes" : "after the notes were edited");
        for (std::size_t k = 0; k < stops.size(); ++k) {
            const std::size_t i = std::size_t(order[k]);
            Names lines = {asked[i]};
            std::vector<double> x(4, 0), y = {0, -1, -2, -3};
            for (const Note& note : found[i]) lines.push_back(text_of(note));
            const Index value = given[i] - value_token;
            const bool is_value = value >= 0 && value < sorts * choices;
            const std::string answer = is_value
                                           ? kinds[std::size_t(value / choices)]
                                                 .values[std::size_t(value % choices)]
                                           : "…";
            const bool right = given[i] == answer_token(now[i]);
            figure.at(stops[k])
                .words("", x, y, lines, {.color = figure::ink})
                .words("", {0}, {-4}, {answer},
                       {.color = right ? figure::blue : figure::red, .bold = true});
        }
        figure.always().bare().xlim(-1, 1).ylim(-4.5, 0.5).tall(150);
    }
    figure.save(
        "A question, the three notes that the search finds, the nearest first, and the "
        "answer of the model, **bold**: blue if it is what the right note says, and "
        "red "
        "if not. All facts are absent from the training. Questions were drawn at "
        "random.");
}
Results measured(std::uint64_t draw, bool drawn) {
    Generator random(1000 * draw + book::seed());
    const Base base = random_base({}, random), edited = random_base({base}, random);
    const nn::Gpt net = trained({base, edited}, passes(), random);
    const std::string before = fingerprint(net);
    Results r;
    const std::vector<std::vector<Note>> found = found_notes(base, questions());
    r.recall = recall(base, found, 3), r.first = recall(base, found, 1);
    r.recall_in_other_words = recall(base, found_notes(base, questions(true)), 3);
    r.with = share_right(answers(net, found), base);
    const std::vector<std::vector<Note>> none(base.size());
    r.without = share_right(answers(net, none), base);
    const std::vector<Index> now = answers(net, found_notes(edited, questions()));
    r.edited = share_right(now, edited), r.old_after_edit = share_right(now, base);
    const std::vector<std::vector<Note>> others = found_without(base);
    const std::vector<Index> lost = answers(net, others);
    r.removed_right = share_right(lost, base);
    for (std::size_t i = 0; i < base.size(); ++i)
        r.removed_copied +=
            double(std::ranges::count(others[i], lost[i], answer_token) > 0) /
            double(base.size());
    std::vector<std::vector<Note>> mixed = found, foreign = found;
    for (std::vector<Note>& notes : mixed) notes = shuffled(notes, random);
    // Notes of the next person, for a question of the same kind.
    std::ranges::rotate(foreign, foreign.begin() + sorts);
    r.mixed = share_right(answers(net, mixed), base);
    r.foreign = share_right(answers(net, foreign), base);
    r.frozen = fingerprint(net) == before;
    if (drawn) draw_answers(net, base, edited);
    return r;
}
std::vector<Results> all_results() {
    std::vector<Results> all;
    for (const std::uint64_t draw : {1, 2, 3}) all.push_back(measured(draw, draw == 1));
    return all;
}
book::Measured over(const std::vector<Results>& all, double Results::*which) {
    std::vector<double> values;
    for (const Results& one : all) values.push_back(one.*which);
    return over_seeds(values);
}
//-
// That is all. The search and the model do not know of each other.
//- what is checked of the search and of the answers
void search_and_answer(const std::vector<Results>& all) {
    say("the right note is the nearest: {}", book::brief(over(all, &Results::first)));
    claim("sys-rag/a",
          "share of questions whose note is among the three that are found",
          over(all, &Results::recall), ">=", 0.95);
    claim("sys-rag/b", "share of exact answers with the notes that are found",
          over(all, &Results::with), ">=", 0.85);
    claim("sys-rag/c", "share of exact answers to the same questions without notes",
          over(all, &Results::without), "<=", 0.1);
}
//-
// With its notes the model answers most questions. Without them it guesses: there are twenty towns. It is right even less
// often than one time in twenty, since just these facts were kept out of its training. They are not in its weights.
//
// ## Edit, remove, shuffle
//
// Now change the notes and leave the weights alone. We edit all 300 notes: each person moves, changes jobs and so on.
// Then we return to the notes as they were, and take away the note that a question asks for. The search still returns
// three notes, the nearest that are left. Place your bet:
//- the question, the figure, and what is checked
void changed_notes(const std::vector<Results>& all) {
    const double removed = over(all, &Results::removed_right).value,
                 copied = over(all, &Results::removed_copied).value;
    ask("The note that a question asks for is missing. The search finds three others. "
        "What "
        "does the model answer?",
        {{"Mostly the right answer: it has learned enough about the people.",
          removed > 0.5, "The fact was in the note alone."},
         {"Mostly something that stands in one of the other notes.",
          removed <= 0.5 && copied > 0.5,
          "It copies one of the three values, though no note has both the name and the "
          "kind of fact that are asked for."},
         {"Mostly a guess that stands in none of the notes.",
          removed <= 0.5 && copied <= 0.5,
          "No note has both the name and the kind of fact that are asked for. Most of "
          "its answers are in none of the three, and right no more often than without "
          "notes."},
         {"Nothing: it notices that the note is missing.", false,
          "The model must write a token. To say *unknown*, it would have to be trained "
          "on questions that the notes do not answer."}});
    const Names names = {
        "with notes",   "edited notes",   "edited: the old answer", "no notes",
        "note removed", "order shuffled", "notes of another person"};
    std::vector<double> heights;
    std::vector<std::vector<book::Cell>> rows;
    for (double Results::*which :
         {&Results::with, &Results::edited, &Results::old_after_edit, &Results::without,
          &Results::removed_right, &Results::mixed, &Results::foreign}) {
        const book::Measured found = over(all, which);
        rows.push_back({names[heights.size()], book::brief(found)});
        heights.push_back(100 * found.value);
    }
    Figure("fig-rag-controls")
        .describe(
            "Bars for the share of right answers in seven settings. With notes, with "
            "edited notes and with the order shuffled nearly all are right. With the "
            "old answer, without notes, without the right note and with notes of "
            "another person few are.")
        .bars("", names, heights, {.color = figure::blue})
        .y("right answers, %")
        .ylim(0, 100)
        .save(
            "Right answers to 300 questions, medians of three draws of notes and "
            "trainings. An answer after the edit is right if it is that of the edited "
            "note; the third bar counts answers of the note before. *Order shuffled*: "
            "the "
            "same three notes in random order.");
    book::table("rag-controls",
                "Right answers to 300 questions: medians and ranges of three draws.",
                {"setting", "right"}, rows);
    say("note removed: the answer stands in one of the three notes given for {}",
        book::brief(over(all, &Results::removed_copied)));
    claim("claim-rag-external-knowledge/a",
          "share of answers that follow the edited notes", over(all, &Results::edited),
          ">=", 0.85);
    claim_true("claim-rag-external-knowledge/b",
               "the SHA-256 of all weights is the same after all these questions",
               std::ranges::all_of(all, &Results::frozen));
    std::vector<double> wrong;
    for (const Results& one : all) wrong.push_back(1 - one.removed_right);
    claim("claim-rag-external-knowledge/c",
          "share of wrong answers when the note that is asked for was removed",
          over_seeds(wrong), ">=", 0.9);
    say("questions in other words: the note is among the three found for {}",
        book::brief(over(all, &Results::recall_in_other_words)));
}
//-

// **The answers follow the notes.** After the edit nearly all answers are the new ones, from the same weights, and hardly
// any is the old one. When the note is missing, the model writes something all the same. Few of these answers stand in the
// notes that it was given, and they are as seldom right as answers without notes. But nothing in an answer shows that it is
// a guess. To say *unknown*, the model would have to see questions without an answer in its training. We have not tried
// this.
//
// The nearest note is the right one for fewer questions than the model answers, and the order of the notes does not matter.
// So the model does not copy from the nearest note. It finds the one that fits the question. With the notes of another
// person it is right as seldom as without notes.
//
// ## The search decides
//
// An embedding by letters finds what is written alike. *Where does Mira live?* shares *liv* with its note. *In which town
// is Mira at home?* asks the same in other words, and then the search finds only that it is about Mira, who has five
// notes. For about half of the questions the right one is not among the three. Learned encoders are trained to
// place a question near the texts that answer it, also in other words. Whatever the embedding is, a large collection is not
// searched by a product with all vectors: an index returns most of the nearest ones after looking at a small part.
//
// ## Origins
//
// **Retrieval-augmented generation** (RAG) was introduced by {cite:t}`lewis2020`, who trained the encoder of the questions
// and the generator together, on questions whose answers stand in Wikipedia. Today the generator is often a large
// language model that is not trained for it: the notes and the instruction to use them stand in its prompt. Such a
// prompt has the limits of [every prompt](prompting.cpp): only so much fits the context.
//
// ## What to remember
//
// A search by the cosine of embeddings finds texts that belong to a question, and a language model answers from them. What
// it knows can then be edited, added and removed without training, since it stands in the notes and not in the weights. If
// the search fails, so does the answer, and a model that was never taught to say *unknown* guesses.
//
// ## What is missing
//
// The model of this page was trained for its prompts, and knows 60 people and five kinds of questions. Large models take
// prompts of any kind, with worked examples and long texts. [The last page](small_assistant.cpp) of the chapter makes an
// assistant of a base model, with few trained numbers and few bits.
//
// ```{try}
// - Fewer numbers in each vector: `--dimensions 64`. How many notes does the search still find?
// ```

void page() {
    const std::vector<Results> all = all_results();
    search_and_answer(all);
    changed_notes(all);
}
