package io.fjordmq.broker.accounts;

import static io.fjordmq.broker.accounts.TestAccounts.LOCAL;
import static io.fjordmq.broker.accounts.TestAccounts.fails;
import static io.fjordmq.broker.accounts.TestAccounts.get;
import static io.fjordmq.broker.accounts.TestAccounts.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.AccountException.Kind;
import io.fjordmq.cluster.consensus.ConsensusException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What callers learn about writes that do not succeed at once. */
class AccountRecordsTest {
  private final TestAccounts test = new TestAccounts();
  private final Accounts here = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private static <T> CompletableFuture<T> failed(ConsensusException.Kind kind) {
    return CompletableFuture.failedFuture(new ConsensusException(kind, "leader gone"));
  }

  @Test
  void shouldRetryUntilThereIsALeader() {
    test.writer =
        batch -> {
          test.writer = null;
          return failed(ConsensusException.Kind.NOT_LEADER);
        };
    get(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)));
    assertThat(here.apiKeys().list(LOCAL)).hasSize(1);
  }

  @Test
  void shouldFindOutWhetherAnUnconfirmedWriteWasMade() {
    test.writer =
        batch ->
            test.metadata
                .write(batch)
                .thenCompose(done -> failed(ConsensusException.Kind.OUTCOME_UNKNOWN));
    get(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)));
    get(here.apiKeys().update(LOCAL, "ci", new ApiKey.Update(null, "x", null, null)));
    assertThat(here.apiKeys().list(LOCAL)).extracting(ApiKey::description).containsExactly("x");
    get(here.apiKeys().remove(LOCAL, "ci"));
    test.writer = batch -> failed(ConsensusException.Kind.OUTCOME_UNKNOWN);
    assertThat(fails(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)), Kind.UNAVAILABLE))
        .startsWith("the change was not confirmed and may still take effect");
    assertThat(here.apiKeys().list(LOCAL)).isEmpty();
  }

  @Test
  void shouldReportAConflict() {
    get(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)));
    test.writer =
        batch -> {
          test.writer = null;
          get(here.apiKeys().update(LOCAL, "ci", new ApiKey.Update(null, "first", null, null)));
          return test.metadata.write(batch);
        };
    fails(
        here.apiKeys().update(LOCAL, "ci", new ApiKey.Update(null, "second", null, null)),
        Kind.CHANGED);
    assertThat(here.apiKeys().list(LOCAL)).extracting(ApiKey::description).containsExactly("first");
    test.writer =
        batch -> {
          test.writer = null;
          get(here.apiKeys().remove(LOCAL, "ci"));
          return test.metadata.write(batch);
        };
    fails(here.apiKeys().remove(LOCAL, "ci"), Kind.CHANGED);
  }

  @Test
  void shouldReportThatTheMetadataIsNotAvailable() {
    test.writer = batch -> failed(ConsensusException.Kind.CLOSED);
    assertThat(fails(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)), Kind.UNAVAILABLE))
        .isEqualTo("the metadata is not available at the moment; try again: leader gone");
  }
}
