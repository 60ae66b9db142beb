// Why a range is split or left as it is, as sentences. The keys are those of `decision` in the API.
const SENTENCES = {
  split: 'The load is high: the range is being split.',
  split_by_size: 'The range is large: it is being split.',
  merge: 'The load is low: the range is being merged with its neighbor.',
  storage_too_slow: 'The disk is too slow for a split now.',
  cold: 'The load is too low for a split.',
  too_short: 'The load is high, but not for long enough.',
  too_young: 'The range is too young to be split.',
  storage_is_the_limit: 'The disk is the limit: two ranges would wait for the same disk.',
  cpu_is_the_limit: 'The CPU is the limit: two ranges would share the same processors.',
  log_not_truncated: 'The log begins with an entry of an earlier version; one of the next checkpoints removes it.',
  too_many_ranges: 'The node has reached splitConfig.maxRanges.',
  one_hot_key: 'Most of the load is on one key, which cannot be split.',
  uneven: 'No key divides the load evenly enough.',
  too_few_keys: 'Too few keys are in use to find a split key.',
  other: 'The split strategy has another reason.',
  failed: 'The split strategy failed; see the log of the leader.',
  too_slow: 'The split strategy did not respond in time.',
  no_split_key: 'The range is large, but most of it belongs to one inbox bucket, topic or filter.',
  too_many_tombstones: 'The range is large, but full of deleted entries; the search for a split key is repeated later.',
  off: 'Splitting by load is off for this store.',
};

export const decisionText = (decision) => SENTENCES[decision] ?? decision.replaceAll('_', ' ');
