package io.fjordmq.auth.seededtwo;

import io.fjordmq.auth.seeded.HalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record OtherHalfOfACycle(HalfOfACycle half) {}
