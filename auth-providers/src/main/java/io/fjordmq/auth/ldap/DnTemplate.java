package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.PlaceholderValues;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A distinguished name with placeholders. */
record DnTemplate(Template template) {
  private static final String SPECIAL = "\"+,;<>\\=#";

  /** Escapes everything that has a meaning in RFC 4514. An empty value would change the name. */
  static final Escaper ESCAPER = (value, before) -> value.isEmpty() ? null : escape(value);

  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException if it is not valid; the message begins with its key
   */
  static DnTemplate of(ProviderSettings settings, String key, String text) {
    DnTemplate dn = new DnTemplate(LdapLookup.template(settings, key, text));
    requireDn(settings, key, String.valueOf(dn.template.render(any -> "x", ESCAPER)));
    return dn;
  }

  /**
   * Reads a distinguished name without placeholders.
   *
   * @throws IllegalArgumentException if it is not valid, or names the root of the directory
   */
  static DN requireDn(ProviderSettings settings, String key, String text) {
    try {
      DN dn = new DN(text);
      if (!dn.isNullDN()) {
        return dn;
      }
    } catch (LDAPException e) {
      throw new IllegalArgumentException(
          settings.path()
              + "."
              + key
              + " must be a distinguished name such as cn=reader,dc=example,dc=com, not '"
              + text
              + "': "
              + e.getMessage(),
          e);
    }
    throw settings.invalid(key, "a distinguished name such as dc=example,dc=com", text);
  }

  private static String escape(String value) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean outerSpace = c == ' ' && (i == 0 || i == value.length() - 1);
      if (SPECIAL.indexOf(c) >= 0 || outerSpace || c < ' ' || c == 0x7F) {
        escaped.append(hex(Character.toString(c)));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static String hex(String text) {
    return HexFormat.of().withPrefix("\\").formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the name for a client; null if the client has no value for a placeholder. */
  @Nullable String render(PlaceholderValues client) {
    return template.render(client, ESCAPER);
  }
}
