// What has changed between two lists of ranges, as sentences. Lists are sorted by store and key.

export const storeOf = (range) => range.range.slice(0, range.range.lastIndexOf('-'));

// nameOf: the name of a node by its id. Returns [{range, text}]
export function rangeChanges(before, after, nameOf) {
  const old = new Map(before.map((range) => [range.range, range]));
  const now = new Map(after.map((range) => [range.range, range]));
  const changes = [];
  after.forEach((range, i) => {
    const known = old.get(range.range);
    if (known) {
      changes.push(...changesOf(known, range, nameOf).map((text) => ({ range: range.range, text })));
    } else {
      const left = neighbor(after, i);
      changes.push({ range: range.range, text: left ? `split from ${left}` : 'created' });
    }
  });
  before.forEach((range, i) => {
    if (!now.has(range.range)) {
      const left = neighbor(before, i);
      changes.push({ range: range.range, text: left ? `merged into ${left}` : 'removed' });
    }
  });
  return changes;
}

function neighbor(ranges, i) {
  const left = ranges[i - 1];
  return left && storeOf(left) === storeOf(ranges[i]) ? left.range : null;
}

function changesOf(before, after, nameOf) {
  const changes = [];
  if (before.leader !== after.leader) {
    changes.push(after.leader ? `led by ${nameOf(after.leader)}${before.leader ? ` instead of ${nameOf(before.leader)}` : ''}` : 'has no leader');
  }
  for (const [kind, name] of [['voters', 'voter'], ['learners', 'learner']]) {
    const had = before[kind].map(({ node }) => node);
    const has = after[kind].map(({ node }) => node);
    has.filter((node) => !had.includes(node)).forEach((node) => changes.push(`${name} added on ${nameOf(node)}`));
    had.filter((node) => !has.includes(node)).forEach((node) => changes.push(`${name} removed from ${nameOf(node)}`));
  }
  return changes;
}

