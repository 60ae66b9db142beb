package io.fjordmq.perf.seeded;

import io.fjordmq.perf.seededtwo.OtherHalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record HalfOfACycle(OtherHalfOfACycle other) {}
