package io.fjordmq.broker.userdb;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.DatabaseUser;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.MalformedBytesException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces imported password hashes by Argon2id, and adds missing SCRAM verifiers, when a user logs
 * in with its password. A node replaces at most one per {@link #INTERVAL_NANOS}, so that a
 * reconnect storm after an import does not flood the metadata group; the other users are upgraded
 * at later logins. Thread-safe.
 */
final class CredentialUpgrades {
  private static final Logger LOG = LoggerFactory.getLogger(CredentialUpgrades.class);
  static final long INTERVAL_NANOS = 200_000_000;

  private final ReplicatedRecords<StoredClientUser> records;
  private final Supplier<MetadataView> views;
  private final CredentialHashing hashing;
  private final LongSupplier nanoTime;
  private final AtomicLong nextAt;

  CredentialUpgrades(
      ReplicatedRecords<StoredClientUser> records,
      Supplier<MetadataView> views,
      CredentialHashing hashing,
      LongSupplier nanoTime) {
    this.records = records;
    this.views = views;
    this.hashing = hashing;
    this.nanoTime = nanoTime;
    this.nextAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** Whether {@link #onLogin} would replace the credentials of the user now. Cheap. */
  boolean isDue(DatabaseUser user) {
    return nanoTime.getAsLong() - nextAt.get() >= 0 && !hashing.isCurrent(user.credentials());
  }

  /** Called on a password thread after a login; computes the new hashes on this thread. */
  void onLogin(DatabaseUser user, byte[] password) {
    // Like new passwords, an upgraded one must not be empty; SCRAM cannot hash it.
    if (password.length == 0 || hashing.isCurrent(user.credentials()) || !isPermitted()) {
      return;
    }
    MetadataView view = views.get();
    MetadataRecord record = view.get(StoredClientUser.key(user.name()));
    StoredClientUser stored = record == null ? null : readable(record);
    if (record == null || stored == null || stored.epoch() != user.epoch()) {
      return; // changed since the login began
    }
    byte[] next = stored.withCredentials(hashing.upgrade(stored.credentials(), password)).encode();
    try {
      UserDatabaseLimits.requireCapacity(view, 0, 0, next.length - record.value().length);
    } catch (RecordException e) {
      LOG.debug("Cannot upgrade the password hash of an MQTT user user={}", user.name(), e);
      return;
    }
    records
        .write(Change.put(record.key(), next, record.version()))
        .whenComplete(
            (written, failure) -> {
              if (failure == null) {
                LOG.debug("Password hash of an MQTT user upgraded user={}", user.name());
              } else {
                LOG.debug(
                    "Cannot upgrade the password hash of an MQTT user; retrying at its next login"
                        + " user={}",
                    user.name(),
                    failure);
              }
            });
  }

  private static @Nullable StoredClientUser readable(MetadataRecord record) {
    try {
      return StoredClientUser.decode(record.value());
    } catch (MalformedBytesException e) {
      return null;
    }
  }

  private boolean isPermitted() {
    long now = nanoTime.getAsLong();
    long at = nextAt.get();
    return now - at >= 0 && nextAt.compareAndSet(at, now + INTERVAL_NANOS);
  }
}
