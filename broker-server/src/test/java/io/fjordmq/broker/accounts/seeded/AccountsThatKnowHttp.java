package io.fjordmq.broker.accounts.seeded;

import io.fjordmq.broker.http.ApiCall;

/** Breaks the boundary of accounts. */
public final class AccountsThatKnowHttp {
  /** What accounts must not know. */
  public final Class<?> known = ApiCall.class;
}
