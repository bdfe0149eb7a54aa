"""A small transformer learns and generates (cuBLAS, attention kernels, sampling): nothing is proven of it."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(1)
torch.use_deterministic_algorithms(True, warn_only=True)
config = GPT2Config(n_layer=2, n_head=4, n_embd=128, vocab_size=256, n_positions=128,
                    bos_token_id=0, eos_token_id=0, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
model = GPT2LMHeadModel(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(1, 256, (8, 64), device="cuda")
with torch.autocast("cuda", torch.bfloat16):
    for _ in range(5):
        loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
model.eval()
made = model.generate(tokens[:1, :8], max_new_tokens=16, do_sample=False, pad_token_id=0)
print(f"{loss.item():.4e}", *made[0].tolist())
