package io.fjordmq.perf.seededtwo;

import io.fjordmq.perf.seeded.HalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record OtherHalfOfACycle(HalfOfACycle half) {}
