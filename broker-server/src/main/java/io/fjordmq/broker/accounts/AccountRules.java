package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates the values of accounts, and returns the keys under which accounts are stored. */
final class AccountRules {
  /** Maximum number of users, and of API keys: every change copies all metadata in memory. */
  static final int MAX_ACCOUNTS = 1_000;

  static final int MIN_PASSWORD_LENGTH = 8;
  static final int MAX_PASSWORD_LENGTH = 256;

  /** The size of the longest password in UTF-8. */
  static final int MAX_PASSWORD_BYTES = 4 * MAX_PASSWORD_LENGTH;

  private static final int MAX_DESCRIPTION_LENGTH = 256;
  private static final int MAX_TENANT_LENGTH = 256;

  private static final Instant END_OF_TIME = Instant.parse("9999-12-31T23:59:59Z");

  /** No colon, which ends the name in HTTP Basic authentication, and no slash, for paths. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}");

  private AccountRules() {}

  /** Whether an account can have this name. */
  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /**
   * @param field the field of the request, for the message
   */
  static void requireName(String field, String name) {
    require(
        isName(name),
        field
            + " must be 1 to 64 characters from A-Z, a-z, 0-9, '.', '_', '@', '+' and '-', and must"
            + " begin with a letter or digit");
  }

  /**
   * @param field the field of the request, for the message
   */
  static void requirePassword(String field, String password) {
    int length = password.codePointCount(0, password.length());
    require(
        length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH,
        field
            + " must have "
            + MIN_PASSWORD_LENGTH
            + " to "
            + MAX_PASSWORD_LENGTH
            + " characters, not "
            + length);
  }

  static void requireDescription(String field, String description) {
    require(
        description.length() <= MAX_DESCRIPTION_LENGTH && hasNoControlCharacters(description),
        field + " must have at most " + MAX_DESCRIPTION_LENGTH + " characters and no line breaks");
  }

  static void requireTenant(@Nullable String tenant) {
    require(
        tenant == null
            || !tenant.isEmpty()
                && tenant.length() <= MAX_TENANT_LENGTH
                && hasNoControlCharacters(tenant),
        "tenant must have 1 to " + MAX_TENANT_LENGTH + " characters and no control characters");
  }

  /** Returns the nearest time between 1970 and 9999, which stored accounts and RFC 3339 require. */
  static @Nullable Instant boundedExpiry(@Nullable Instant expiresAt) {
    if (expiresAt == null) {
      return null;
    }
    Instant early = expiresAt.isBefore(END_OF_TIME) ? expiresAt : END_OF_TIME;
    return early.isAfter(Instant.EPOCH) ? early : Instant.EPOCH;
  }

  private static boolean hasNoControlCharacters(String text) {
    return text.chars().noneMatch(Character::isISOControl);
  }

  static void require(boolean valid, String message) {
    if (!valid) {
      throw new RecordException(Kind.INVALID, message);
    }
  }

  /**
   * Returns the tenant of an account that the caller creates.
   *
   * @throws RecordException if the caller is bound to another tenant
   */
  static @Nullable String tenantFor(Caller caller, @Nullable String requested) {
    requireTenant(requested);
    String own = caller.tenant();
    require(
        own == null || requested == null || requested.equals(own),
        "tenant must be '" + own + "', the tenant of the caller");
    return own == null ? requested : own;
  }

  /**
   * Requires that another account may be added. Requests in progress on other nodes may exceed the
   * limit by their number.
   */
  static void requireCapacity(MetadataView view, String prefix, String nouns) {
    if (view.withPrefix(prefix).size() >= MAX_ACCOUNTS) {
      throw new RecordException(
          Kind.FULL,
          "the cluster has %d %s, which is the maximum; remove some first"
              .formatted(MAX_ACCOUNTS, nouns));
    }
  }

  static RecordException notFound(String noun, String name) {
    return new RecordException(
        Kind.NOT_FOUND,
        isName(name) ? noun + " '" + name + "' does not exist" : "there is no such " + noun);
  }

  /** Returns the metadata key of an account; hex, because names have more characters than keys. */
  static String key(String prefix, String name) {
    return prefix + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }
}
