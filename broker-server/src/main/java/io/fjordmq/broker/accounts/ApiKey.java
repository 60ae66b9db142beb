package io.fjordmq.broker.accounts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An API key, without its secret. Immutable.
 *
 * @param name unique among API keys
 * @param id the public half of the credentials: 32 hexadecimal digits
 * @param tenant the only tenant that the key gives access to; null for all
 * @param description free text; may be empty
 * @param expiresAt the end of its validity, in cluster time, from 1970 to 9999; null for none
 * @param createdAt in cluster time
 */
public record ApiKey(
    String name,
    String id,
    Role role,
    @Nullable String tenant,
    String description,
    boolean enabled,
    @Nullable Instant expiresAt,
    Instant createdAt) {

  public boolean isExpired(Instant now) {
    return expiresAt != null && !now.isBefore(expiresAt);
  }

  /**
   * The requested properties of a new API key.
   *
   * @param tenant null for the caller's tenant, or all tenants if the caller is not bound to one
   * @param expiresAt null for no expiry
   */
  public record Draft(
      String name,
      Role role,
      @Nullable String tenant,
      String description,
      boolean enabled,
      @Nullable Instant expiresAt) {}

  /**
   * New values for an API key; null keeps the current value.
   *
   * @param expiry the new expiry
   */
  public record Update(
      @Nullable Role role,
      @Nullable String description,
      @Nullable Boolean enabled,
      @Nullable Expiry expiry) {}

  /**
   * An expiry.
   *
   * @param at null for never
   */
  public record Expiry(@Nullable Instant at) {}

  /**
   * A new API key.
   *
   * @param secret the secret half of the credentials, which is not stored and cannot be shown again
   */
  public record Created(ApiKey key, String secret) {
    @Override
    public String toString() {
      return key.toString(); // without the secret
    }
  }
}
