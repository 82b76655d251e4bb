"""The workloads of recto bench in PyTorch's eager mode, on one device, as lines of JSON; and its matrix product.

Products and convolutions are in IEEE single precision, as Recto's are: PyTorch would use tf32 in convolutions. Several
steps are asked for before the clock is read, as many as fill a twentieth of a second.
"""
import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("workload", nargs="?", default="", help="part of a name")
p.add_argument("--device", default="cuda")
p.add_argument("--seconds", type=float, default=3)
p.add_argument("--small", action="store_true", help="few steps: does it run at all?")
asked = p.parse_args()
device = torch.device(asked.device)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
torch.manual_seed(0)


def seconds(step, together):
    start = time.perf_counter()
    for _ in range(together):
        step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / together


def rate(step):
    """Median seconds of a step."""
    seconds(step, 1 if asked.small else 5)
    together = 1
    while device.type != "cpu" and together < 4096 and together * seconds(step, together) < 0.05:
        together *= 2
    took, start = [], time.perf_counter()
    while len(took) < (1 if asked.small else 5) or time.perf_counter() - start < asked.seconds:
        took.append(seconds(step, together))
    return statistics.median(took)


def measure(name, unit, per_step, prepare):
    """`prepare` gives the step; it is called only for workloads that are asked for."""
    if asked.workload in name:
        took = rate(prepare())
        print(json.dumps({"framework": f"PyTorch {torch.__version__}", "workload": name, "unit": unit, "samples_per_s": per_step / took,
                          "step_ms_median": 1e3 * took, "device": device.type}), flush=True)


def training(model, rate_of_descent, x, labels, batch):
    """Steps over mini-batches in their order."""
    descent, at = torch.optim.SGD(model.parameters(), lr=rate_of_descent), 0

    def step():
        nonlocal at
        first, at = at, (at + batch) % (len(x) - batch + 1)
        loss = F.cross_entropy(model(x[first:first + batch]), labels[first:first + batch])
        descent.zero_grad(set_to_none=True)
        loss.backward()
        descent.step()
    return step


def noise(*shape):
    return torch.randn(*shape, device=device), torch.randint(0, 10, shape[:1], device=device)


def mlp():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)


def mlp_training(batch):
    return training(mlp(), 0.1, *noise(8192, 784), batch)


def mlp_inference(batch):
    model, (x, _) = mlp(), noise(8192, 784)

    def step():
        with torch.no_grad():
            model(x[:batch])
    return step


def tiny():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1), nn.Tanh()).to(device)
    x = torch.tensor([[2, 3, -1], [3, -1, .5], [.5, 1, 1], [1, 1, -1]], device=device)
    y = torch.tensor([[1.], [-1], [-1], [1]], device=device)
    descent = torch.optim.SGD(model.parameters(), lr=0.05)

    def step():
        loss = ((model(x) - y) ** 2).sum()
        descent.zero_grad(set_to_none=True)
        loss.backward()
        descent.step()
    return step


def lenet():
    model = nn.Sequential(nn.Conv2d(1, 32, 5), nn.MaxPool2d(3), nn.ReLU(), nn.Conv2d(32, 64, 5), nn.MaxPool2d(2), nn.ReLU(),
                          nn.Flatten(), nn.Linear(256, 200), nn.ReLU(), nn.Linear(200, 10)).to(device)
    return training(model, 0.05, *noise(2048, 1, 28, 28), 64)


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels)
        self.second, self.second_norm = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(x + self.second_norm(self.second(F.relu(self.first_norm(self.first(x))))))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(1, 16, 1), nn.Linear(16, 10)
        self.blocks = nn.Sequential(*(ResidualBlock(16) for _ in range(4)))

    def forward(self, x):
        return self.leave(self.blocks(F.relu(self.enter(x))).mean((2, 3)))


def resnet():
    return training(ResNet().to(device), 0.05, *noise(2048, 1, 28, 28), 64)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.project, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x, cache):
        b, t, width = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.project(x).split(width, 2))
        if cache is not None:
            cache.append((k, v) if not cache else (torch.cat((cache[-1][0], k), 2), torch.cat((cache[-1][1], v), 2)))
            k, v = cache[-1]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=t > 1)
        return self.out(y.transpose(1, 2).reshape(b, t, width))

    def forward(self, x, cache=None):
        x = x + self.attention(self.before_attention(x), cache)
        return x + self.narrow(F.gelu(self.widen(self.before_perceptron(x))))


class Gpt(nn.Module):
    def __init__(self, tokens, layers, width, heads, time_steps):
        super().__init__()
        self.words, self.places, self.last = nn.Embedding(tokens, width), nn.Embedding(time_steps, width), nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, 0, 0.02)

    def forward(self, tokens, at=0, caches=None):
        x = self.words(tokens) + self.places.weight[at:at + tokens.shape[1]]
        for n, block in enumerate(self.blocks):
            x = block(x, caches[n] if caches else None)
        return F.linear(self.last(x), self.words.weight)


def gpt_training(tokens, layers, width, heads, time_steps, batch):
    model, at = Gpt(tokens, layers, width, heads, time_steps).to(device), 0
    adam = torch.optim.AdamW(model.parameters(), lr=1e-3)
    read, following = (torch.randint(0, tokens, (8 * batch, time_steps), device=device) for _ in range(2))

    def step():
        nonlocal at
        first, at = at % 8 * batch, at + 1
        scores = model(read[first:first + batch]).reshape(-1, tokens)
        loss = F.cross_entropy(scores, following[first:first + batch].reshape(-1))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
    return step


def decoding():
    model = Gpt(50257, 12, 768, 12, 1024).to(device)
    caches = [[] for _ in model.blocks]
    with torch.no_grad():
        model(torch.randint(0, 50257, (1, 64), device=device), 0, caches)

    def step():
        with torch.no_grad():
            for cache in caches:
                del cache[1:]
            model(torch.randint(0, 50257, (1, 1), device=device), 64, caches)
    return step


def product(n):
    a, b = (torch.randn(n, n, device=device) for _ in range(2))
    return lambda: torch.mm(a, b)


for size in (64, 256):
    measure(f"mlp_784_256_128_10_b{size}", "sample", size, lambda: mlp_training(size))
    measure(f"mlp_784_256_128_10_infer_b{size}", "sample", size, lambda: mlp_inference(size))
measure("tiny_tensor_mlp_3_4_4_1", "step", 1, tiny)
measure("lenet_lbdl_b64", "sample", 64, lenet)
measure("resnet16x4_b64", "sample", 64, resnet)
measure("chargpt_4L_d128_h4_T64_b32", "token", 32 * 64, lambda: gpt_training(65, 4, 128, 4, 64, 32))
measure("chargpt_6L_d384_h6_T256_b8", "token", 8 * 256, lambda: gpt_training(65, 6, 384, 6, 256, 8))
measure("gpt2_124M_decode_kv64", "token", 1, decoding)
for side in (64,) if asked.small else (1024, 4096, 8192):
    measure(f"product of {side} x {side}", "GFLOP", 2e-9 * side ** 3, lambda: product(side))
