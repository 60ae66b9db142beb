package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Entry;
import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.auth.hash.SchemeHash;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lets a directory check passwords, or compares them with those that it stores. */
final class LdapAuthentication implements AuthenticationProvider {
  private static final byte[] NO_PASSWORD = {};

  private final LdapDirectory directory;
  private final LdapLoginSettings settings;

  LdapAuthentication(LdapDirectory directory, LdapLoginSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  @Override
  public CompletionStage<AuthenticationResult> authenticate(ClientContext client) {
    return directory.submit(() -> login(client));
  }

  private AuthenticationResult login(ClientContext client) throws ProviderException {
    byte[] given = client.password();
    byte[] password = given == null ? NO_PASSWORD : given;
    DnTemplate userDn = settings.userDn();
    LdapLookup lookup = settings.lookup();
    if (userDn != null) {
      String dn = userDn.render(client);
      return dn == null
          ? AuthenticationResult.ignore("the client has no value for a placeholder of userDn")
          : bindDirectly(client, dn, password);
    }
    if (lookup == null) {
      throw new IllegalStateException("either userDn or baseDn is set");
    }
    Entry entry = lookup.find(directory, client, settings.attributesToRead());
    if (entry == null) {
      return AuthenticationResult.ignore("no entry");
    }
    String mismatch = settings.nameCheck().mismatch(client, entry);
    if (mismatch != null) {
      return AuthenticationResult.ignore(mismatch);
    }
    if (password.length == 0) {
      return AuthenticationResult.deny("no password");
    }
    String refusal =
        settings.binds()
            ? directory.login(entry.getDN(), password, List.of()).refusal()
            : compare(entry, password);
    return refusal == null ? allow(client, entry) : AuthenticationResult.deny(refusal);
  }

  private AuthenticationResult bindDirectly(ClientContext client, String dn, byte[] password)
      throws ProviderException {
    if (password.length == 0) {
      return AuthenticationResult.deny("no password");
    }
    LdapDirectory.Login login = directory.login(dn, password, settings.attributesToRead());
    if (login.refusal() != null) {
      return AuthenticationResult.deny(login.refusal());
    }
    Entry entry = login.entry();
    if (entry == null) {
      throw ProviderException.aboutClient(
          "the user cannot read its own entry "
              + dn
              + "; allow this in the directory, or use baseDn with an account that can",
          null);
    }
    String mismatch = settings.nameCheck().mismatch(client, entry);
    return mismatch == null ? allow(client, entry) : AuthenticationResult.deny(mismatch);
  }

  /** Returns why the password is not one of those in the entry; null if it is. */
  private @Nullable String compare(Entry entry, byte[] password) throws ProviderException {
    byte[][] stored = entry.getAttributeValueByteArrays(settings.passwordAttribute());
    if (stored == null) {
      return "the entry has no " + settings.passwordAttribute() + ", or it cannot be read";
    }
    String unsupported = null;
    for (byte[] one : stored) {
      try {
        if (SchemeHash.matches(password, one)) {
          return null;
        }
      } catch (IllegalArgumentException e) {
        unsupported = e.getMessage();
      }
    }
    if (unsupported != null) {
      throw ProviderException.aboutClient(entry.getDN() + ": " + unsupported, null);
    }
    return "wrong password";
  }

  private AuthenticationResult allow(ClientContext client, Entry entry) throws ProviderException {
    Map<String, String> attributes = new LinkedHashMap<>();
    settings
        .attributes()
        .forEach(
            (name, attribute) -> {
              String value = entry.getAttributeValue(attribute);
              if (value != null) {
                attributes.put(name, value);
              }
            });
    boolean superuser = "true".equalsIgnoreCase(entry.getAttributeValue(settings.superuser()));
    if (settings.groups().areUsed()) {
      LdapGroupReference superusers = settings.superuserGroup();
      Set<String> names = new LinkedHashSet<>();
      for (LdapGroups.Group group :
          settings.groups().groupsOf(directory, client, entry, List.of())) {
        superuser |= superusers != null && superusers.matches(group);
        if (group.name() != null) {
          names.add(group.name());
        }
      }
      attributes.put("groups", String.join(",", names));
    }
    return AuthenticationResult.allow(
        new Identity("", client.userName(), null, attributes, superuser, null));
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    DnTemplate userDn = settings.userDn();
    LdapLookup lookup = settings.lookup();
    String entry =
        userDn != null
            ? String.valueOf(userDn.render(client))
            : lookup == null ? "" : lookup.keyOf(client);
    byte[] given = client.password();
    // The length separates the entry from what follows, whatever it contains.
    return entry.length()
        + ":"
        + entry
        + "\n"
        + client.userName()
        + "\n"
        + (given == null ? "-" : Base64.getEncoder().encodeToString(given));
  }

  @Override
  public void close() {
    directory.close();
  }
}
