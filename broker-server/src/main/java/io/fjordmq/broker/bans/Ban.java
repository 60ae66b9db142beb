package io.fjordmq.broker.bans;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A ban. Immutable. There is at most one ban with the same kind, value and tenant.
 *
 * @param value what is banned; addresses and networks are in canonical notation
 * @param tenant the only tenant whose clients are banned; null for clients of all tenants
 * @param by who created the ban
 * @param reason free text for operators; may be empty. Clients do not receive it
 * @param at when the ban was created
 * @param until the end of the ban, exclusive, in cluster time; null for none
 */
public record Ban(
    BanKind kind,
    String value,
    @Nullable String tenant,
    String by,
    String reason,
    Instant at,
    @Nullable Instant until) {

  /** Whether the ban has ended. */
  public boolean isExpired(Instant now) {
    return until != null && !now.isBefore(until);
  }

  /** Whether the ban applies to clients of this tenant. */
  boolean appliesTo(String clientTenant) {
    return tenant == null || tenant.equals(clientTenant);
  }

  /**
   * The requested properties of a new ban.
   *
   * @param tenant null for the caller's tenant, or all tenants if the caller is not bound to one
   * @param by null for the name of the caller
   * @param at null for now
   * @param until null for no end
   */
  public record Draft(
      BanKind kind,
      String value,
      @Nullable String tenant,
      @Nullable String by,
      String reason,
      @Nullable Instant at,
      @Nullable Instant until) {}

  /**
   * Identifies a ban.
   *
   * @param tenant null for the caller's tenant, or for bans of all tenants if the caller is not
   *     bound to one
   */
  public record Target(BanKind kind, String value, @Nullable String tenant) {}
}
