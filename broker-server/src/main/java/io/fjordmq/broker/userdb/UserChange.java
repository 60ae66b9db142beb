package io.fjordmq.broker.userdb;

import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.common.MalformedBytesException;
import org.jspecify.annotations.Nullable;

/**
 * A change of the record of a user. An upgrade of its credentials concerns neither its rules nor
 * the identities of its clients.
 */
final class UserChange {
  private final boolean existed;
  private final @Nullable StoredClientUser before;
  private final @Nullable StoredClientUser after;

  UserChange(MetadataUpdate update) {
    existed = update.before() != null;
    before = decode(update.before());
    after = decode(update.record());
  }

  /** Returns null if there is no record, or this node cannot read it. */
  private static @Nullable StoredClientUser decode(@Nullable MetadataRecord record) {
    try {
      return record == null ? null : StoredClientUser.decode(record.value());
    } catch (MalformedBytesException e) {
      return null;
    }
  }

  /** Whether other rules may apply to the user's clients. */
  boolean concernsRules() {
    return before == null
        || after == null
        || !before.user().tenant().equals(after.user().tenant())
        || !before.user().groups().equals(after.user().groups());
  }

  /** Whether clients that have logged in as the user may no longer be connected. */
  boolean concernsIdentities() {
    if (!existed) {
      return false;
    }
    return before == null
        || after == null
        || before.epoch() != after.epoch()
        || before.user().enabled() && !after.user().enabled();
  }
}
