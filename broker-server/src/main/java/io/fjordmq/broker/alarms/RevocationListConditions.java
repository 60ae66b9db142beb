package io.fjordmq.broker.alarms;

import io.fjordmq.broker.revocation.ExpiringList;
import java.time.Instant;
import java.util.List;

/** Revocation lists that have expired or expire soon. */
final class RevocationListConditions {
  private RevocationListConditions() {}

  /**
   * @param now the time of the wall clock, which the node compares with the lists, too
   */
  static List<AlarmCondition> of(List<ExpiringList> lists, Instant now) {
    return lists.stream().map(list -> condition(list, now)).toList();
  }

  private static AlarmCondition condition(ExpiringList list, Instant now) {
    String message =
        list.expiresAt().isAfter(now)
            ? "The revocation list of %s expires at %s; after that, certificates of this authority"
                + " cannot be checked; replace %s"
            : "The revocation list of %s expired at %s; certificates of this authority cannot be"
                + " checked; replace %s";
    return AlarmCondition.of(
        AlarmKind.REVOCATION_LIST_EXPIRING,
        list.issuer(),
        message.formatted(list.issuer(), list.expiresAt(), list.file()),
        "issuer",
        list.issuer(),
        "file",
        list.file(),
        "expires_at",
        list.expiresAt().toString());
  }
}
