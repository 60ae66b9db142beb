package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.DN;
import io.fjordmq.api.auth.ProviderSettings;
import org.jspecify.annotations.Nullable;

/**
 * A group as the configuration refers to it. Groups in other parts of the directory can have the
 * same name, and their owners choose their members, so a name only refers to a group below {@code
 * groupBaseDn}.
 *
 * @param dn the distinguished name of the group; null if the configuration contains a name
 * @param name the text in the configuration
 */
record LdapGroupReference(@Nullable DN dn, String name) {
  /**
   * Reads a reference.
   *
   * @param key the key, for errors
   * @param text a distinguished name, which contains {@code =}, or a name
   * @throws IllegalArgumentException if it is not valid; the message begins with the key
   */
  static LdapGroupReference of(
      ProviderSettings settings, String key, String text, LdapGroups groups) {
    if (text.indexOf('=') >= 0) {
      return new LdapGroupReference(DnTemplate.requireDn(settings, key, text), text);
    }
    if (groups.base() == null) {
      throw new IllegalArgumentException(
          settings.path()
              + "."
              + key
              + " must be the DN of a group, such as cn=admins,ou=groups,dc=example,dc=com, because"
              + " groupBaseDn is not set: "
              + text);
    }
    return new LdapGroupReference(null, text);
  }

  /** Whether this is the group. */
  boolean matches(LdapGroups.Group group) {
    return dn == null
        ? group.name() != null && name.equalsIgnoreCase(group.name())
        : dn.equals(group.dn());
  }
}
