package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.common.OperationException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the configured administrator if the cluster has no users, and says in the log what it
 * did. Several nodes may do this at the same time. Thread-safe.
 */
final class FirstAdministrator {
  private static final Logger LOG = LoggerFactory.getLogger(FirstAdministrator.class);
  private static final long RETRY_SECONDS = 5;
  private static final Caller SYSTEM =
      new Caller("apiConfig", Caller.Kind.LOCAL, Role.ADMINISTRATOR, null);

  private final FirstAdministratorSettings settings;
  private final ReplicatedRecords<StoredUser> records;
  private final Users users;
  private volatile boolean closed;

  FirstAdministrator(
      FirstAdministratorSettings settings, ReplicatedRecords<StoredUser> records, Users users) {
    this.settings = settings;
    this.records = records;
    this.users = users;
  }

  /**
   * Reads the password, which blocks on the disk, and begins. The future completes when the cluster
   * has a user, or if this node cannot create one; it never fails.
   */
  CompletableFuture<Void> create() {
    try {
      return create(settings.readPassword());
    } catch (IOException e) {
      LOG.error(
          "First administrator not created; fix apiConfig.firstAdministrator.passwordFile and"
              + " restart, or run 'bin/fjordmq users add': {} user={}",
          e.getMessage(),
          settings.username());
      return CompletableFuture.completedFuture(null);
    }
  }

  private CompletableFuture<Void> create(String password) {
    return records
        .read()
        .thenCompose(
            view -> {
              if (records.count(view) == 0) {
                return add(password);
              }
              LOG.info(
                  "First administrator not created because the cluster already has users; "
                      + "apiConfig.firstAdministrator can be removed user={}",
                  settings.username());
              return CompletableFuture.<Void>completedFuture(null);
            })
        .exceptionallyCompose(failure -> retry(password, failure));
  }

  private CompletableFuture<Void> add(String password) {
    User.Draft draft =
        new User.Draft(
            settings.username(),
            password,
            Role.ADMINISTRATOR,
            null,
            "created from apiConfig.firstAdministrator");
    return users
        .add(SYSTEM, draft)
        .thenAccept(
            user ->
                LOG.info(
                    "First administrator created from apiConfig.firstAdministrator user={}",
                    user.name()));
  }

  private CompletableFuture<Void> retry(String password, Throwable failure) {
    if (OperationException.isAny(failure, Kind.EXISTS)) {
      LOG.info("First administrator created by another node user={}", settings.username());
      return CompletableFuture.completedFuture(null);
    }
    if (closed
        || !OperationException.isAny(failure, Kind.UNAVAILABLE, CredentialsException.Kind.BUSY)) {
      if (!closed) {
        LOG.error("Cannot create the first administrator user={}", settings.username(), failure);
      }
      return CompletableFuture.completedFuture(null);
    }
    LOG.warn(
        "Cannot create the first administrator yet; retrying: {} user={}",
        OperationException.unwrap(failure).getMessage(),
        settings.username());
    return CompletableFuture.supplyAsync(
            () -> create(password),
            CompletableFuture.delayedExecutor(RETRY_SECONDS, TimeUnit.SECONDS))
        .thenCompose(created -> created);
  }

  /** Ends retries. */
  void close() {
    closed = true;
  }
}
