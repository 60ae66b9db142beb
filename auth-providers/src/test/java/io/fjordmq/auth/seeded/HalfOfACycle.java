package io.fjordmq.auth.seeded;

import io.fjordmq.auth.seededtwo.OtherHalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record HalfOfACycle(OtherHalfOfACycle other) {}
