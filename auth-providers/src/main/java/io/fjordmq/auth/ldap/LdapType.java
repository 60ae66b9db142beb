package io.fjordmq.auth.ldap;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import java.util.ArrayList;
import java.util.List;

/** Users, groups and rules in an LDAP directory. */
public final class LdapType implements ProviderType {
  @Override
  public String name() {
    return "ldap";
  }

  @Override
  public List<ProviderKey> keys() {
    List<ProviderKey> keys = new ArrayList<>(LdapSettings.KEYS);
    keys.addAll(LdapLookup.KEYS);
    keys.addAll(NameCheck.KEYS);
    keys.addAll(LdapGroups.KEYS);
    keys.addAll(LdapLoginSettings.KEYS);
    keys.addAll(LdapRuleSettings.KEYS);
    return keys;
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public boolean authorizes() {
    return true;
  }

  @Override
  public Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    requireUnset(settings, LdapRuleSettings.KEYS, "authentication");
    LdapSettings server = LdapSettings.of(settings);
    LdapLoginSettings login = LdapLoginSettings.of(settings);
    return executor -> {
      server.warnIfPlain();
      return new LdapAuthentication(new LdapDirectory(server), login);
    };
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    requireUnset(settings, LdapLoginSettings.KEYS, "authorization");
    LdapSettings server = LdapSettings.of(settings);
    LdapRuleSettings rules = LdapRuleSettings.of(settings);
    return executor -> {
      server.warnIfPlain();
      return new LdapRules(new LdapDirectory(server), rules);
    };
  }

  private static void requireUnset(ProviderSettings settings, List<ProviderKey> keys, String list) {
    for (ProviderKey key : keys) {
      if (settings.isSet(key.name()) || !settings.map(key.name()).isEmpty()) {
        throw new IllegalArgumentException(
            settings.path() + "." + key.name() + " does not apply to " + list + "; remove it");
      }
    }
  }
}
