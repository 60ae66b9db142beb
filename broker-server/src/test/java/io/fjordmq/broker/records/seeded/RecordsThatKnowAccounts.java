package io.fjordmq.broker.records.seeded;

import io.fjordmq.broker.accounts.Caller;

/** Breaks the boundary of records. */
public final class RecordsThatKnowAccounts {
  /** What records must not know. */
  public final Class<?> known = Caller.class;
}
