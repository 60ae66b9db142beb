package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.CredentialsException;
import io.fjordmq.broker.accounts.Logins;
import java.util.concurrent.CompletableFuture;

/** Authenticates callers with the accounts of the cluster. Thread-safe. */
public final class AccountAuthentication implements Authentication {
  private final Logins logins;

  public AccountAuthentication(Logins logins) {
    this.logins = logins;
  }

  @Override
  public CompletableFuture<Caller> authenticate(Credentials credentials, String remoteAddress) {
    if (credentials instanceof Credentials.Bearer bearer) {
      try {
        return CompletableFuture.completedFuture(logins.verify(bearer.token()));
      } catch (CredentialsException e) {
        return CompletableFuture.failedFuture(
            AccountFailures.asApiException(e, ErrorCode.BAD_TOKEN));
      }
    }
    Credentials.Basic basic = (Credentials.Basic) credentials;
    return AccountFailures.translate(
        logins.authenticate(basic.name(), basic.secret(), remoteAddress),
        ErrorCode.BAD_API_KEY_OR_SECRET,
        ErrorCode.BAD_API_KEY_OR_SECRET);
  }
}
