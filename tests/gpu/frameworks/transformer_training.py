"""A transformer's training as it is written today: a loader that pins, mixed precision with a scaler, accumulated
gradients, checkpointed blocks, torch.compile. Nothing is found."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

STEPS, GATHERED, WIDTH, WORDS, LENGTH = 6, 2, 64, 128, 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.mix = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mix(self.norms[1](x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.guess = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        x = self.words(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.guess(x)


def main():
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    data = TensorDataset(torch.randint(0, WORDS, (8 * STEPS * GATHERED, LENGTH)))
    loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True)
    model = Model().cuda()
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    losses = []
    for number, (tokens,) in enumerate(loader):
        tokens = tokens.cuda(non_blocking=True)
        with torch.autocast("cuda", torch.float16):
            guesses = compiled(tokens)
            loss = nn.functional.cross_entropy(guesses.flatten(0, 1).float(), tokens.flatten()) / GATHERED
        scaler.scale(loss).backward()
        if number % GATHERED == GATHERED - 1:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.detach())
    print(*(f"{loss.item():.4e}" for loss in losses))


if __name__ == "__main__":
    main()
