package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.PlaceholderValues;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import org.jspecify.annotations.Nullable;

/** A search filter with placeholders. */
record FilterTemplate(Template template) {
  /** Escapes everything that has a meaning in RFC 4515. An empty value could match any entry. */
  static final Escaper ESCAPER =
      (value, before) -> value.isEmpty() ? null : Filter.encodeValue(value);

  /**
   * Reads a filter.
   *
   * @throws IllegalArgumentException if it is not valid; the message begins with its key
   */
  static FilterTemplate of(ProviderSettings settings, String key, String text) {
    FilterTemplate filter = new FilterTemplate(LdapLookup.template(settings, key, text));
    try {
      filter.render(any -> "x");
      return filter;
    } catch (LDAPException e) {
      throw new IllegalArgumentException(
          settings.path()
              + "."
              + key
              + " must be a filter such as (uid=${username}), not '"
              + text
              + "': "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Returns the filter for a client; null if the client has no value for a placeholder.
   *
   * @throws LDAPException if the filter is not valid
   */
  @Nullable Filter render(PlaceholderValues client) throws LDAPException {
    String text = template.render(client, ESCAPER);
    return text == null ? null : Filter.create(text);
  }
}
