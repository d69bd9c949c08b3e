"""Fruit Salad in words."""
def action_names(rules): return [str(i) for i in range(int(rules[0]["num_actions"]))]
def draw(rules, facts): return "\n".join(f"{k}: {v}" for k, v in facts.items())
