package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the entry of a client is found. */
record LdapLookup(DnTemplate baseDn, FilterTemplate filter, SearchScope scope) {
  static final List<ProviderKey> KEYS =
      List.of(ProviderKey.value("baseDn"), ProviderKey.value("filter"), ProviderKey.value("scope"));

  /**
   * Reads the keys {@code baseDn}, {@code filter} and {@code scope}.
   *
   * @throws IllegalArgumentException if a value is invalid; the message begins with its key
   */
  static LdapLookup of(ProviderSettings settings) {
    DnTemplate base = DnTemplate.of(settings, "baseDn", settings.text("baseDn"));
    FilterTemplate filter =
        FilterTemplate.of(settings, "filter", settings.text("filter", "(objectClass=*)"));
    if (base.template().placeholders().isEmpty() && filter.template().placeholders().isEmpty()) {
      throw new IllegalArgumentException(
          settings.path()
              + ".baseDn or .filter must contain a placeholder of the client, such as"
              + " (uid=${username})");
    }
    SearchScope scope =
        switch (settings.oneOf("scope", "sub", "one", "base")) {
          case "one" -> SearchScope.ONE;
          case "base" -> SearchScope.BASE;
          default -> SearchScope.SUB;
        };
    return new LdapLookup(base, filter, scope);
  }

  /**
   * Reads a template.
   *
   * @throws IllegalArgumentException if it is not valid or contains a placeholder whose value is
   *     not known when an entry is searched; the message begins with the key
   */
  static Template template(ProviderSettings settings, String key, String text) {
    Template template = settings.template(key, text, "cu");
    for (Placeholder one : template.placeholders()) {
      if (one.kind().ofAction() || one.kind() == Placeholder.Kind.PASSWORD) {
        throw settings.invalid(
            key, "without placeholders for the password, the topic or the action", text);
      }
    }
    return template;
  }

  /**
   * Finds the entry of a client. Blocks.
   *
   * @return null if there is none, or if the client has no value for a placeholder
   * @throws ProviderException if the directory does not respond or there are several entries
   */
  @Nullable Entry find(LdapDirectory directory, ClientContext client, List<String> attributes)
      throws ProviderException {
    String base = baseDn.render(client);
    Filter rendered;
    try {
      rendered = filter.render(client);
    } catch (LDAPException e) {
      throw ProviderException.aboutClient("the filter is invalid for this client", e);
    }
    if (base == null || rendered == null) {
      return null;
    }
    List<? extends Entry> found = directory.search(base, scope, rendered, 1, attributes);
    return found.isEmpty() ? null : found.get(0);
  }

  /** Returns a text that is equal for clients with the same entry. */
  String keyOf(ClientContext client) {
    String base = String.valueOf(baseDn.render(client));
    String rendered = String.valueOf(filter.template().render(client, FilterTemplate.ESCAPER));
    return base.length() + ":" + base + "\n" + rendered.length() + ":" + rendered + "\n";
  }
}
