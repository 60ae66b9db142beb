package io.fjordmq.auth.ldap;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How clients are authenticated.
 *
 * @param binds whether the directory checks the password; otherwise the node compares it
 * @param userDn the name with which a client logs in; null if its entry is searched
 * @param lookup how the entry is searched; null with {@code userDn}
 * @param passwordAttribute the attribute with stored passwords, for comparing
 * @param superuser the attribute that makes a client a superuser
 * @param superuserGroup the group that makes a client a superuser; null for none
 * @param attributes the attribute of the entry for each attribute of the client
 */
record LdapLoginSettings(
    boolean binds,
    @Nullable DnTemplate userDn,
    @Nullable LdapLookup lookup,
    NameCheck nameCheck,
    String passwordAttribute,
    String superuser,
    @Nullable LdapGroupReference superuserGroup,
    Map<String, String> attributes,
    LdapGroups groups) {

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("method"),
          ProviderKey.value("userDn"),
          ProviderKey.value("passwordAttribute"),
          ProviderKey.value("superuserAttribute"),
          ProviderKey.value("superuserGroup"),
          ProviderKey.map("attributes"));

  static LdapLoginSettings of(ProviderSettings settings) {
    boolean binds = settings.oneOf("method", "bind", "compare").equals("bind");
    DnTemplate userDn = null;
    LdapLookup lookup = null;
    NameCheck nameCheck;
    if (settings.isSet("userDn")) {
      for (ProviderKey key : LdapLookup.KEYS) {
        if (settings.isSet(key.name())) {
          throw cannotCombine(settings, key.name());
        }
      }
      if (!binds) {
        throw cannotCombine(settings, "method: compare");
      }
      userDn = DnTemplate.of(settings, "userDn", settings.text("userDn"));
      Template template = userDn.template();
      if (template.placeholders().isEmpty()) {
        throw settings.invalid(
            "userDn", "a name with a placeholder of the client", template.toString());
      }
      nameCheck = NameCheck.of(settings, template);
    } else {
      lookup = LdapLookup.of(settings);
      nameCheck = NameCheck.of(settings, lookup.baseDn().template(), lookup.filter().template());
    }
    LdapGroups groups = LdapGroups.of(settings);
    LdapGroupReference superuserGroup = null;
    if (settings.isSet("superuserGroup")) {
      if (!groups.areUsed()) {
        throw new IllegalArgumentException(
            settings.path() + ".superuserGroup needs groupBaseDn or memberOfAttribute");
      }
      superuserGroup =
          LdapGroupReference.of(
              settings, "superuserGroup", settings.text("superuserGroup"), groups);
    }
    return new LdapLoginSettings(
        binds,
        userDn,
        lookup,
        nameCheck,
        settings.text("passwordAttribute", "userPassword"),
        settings.text("superuserAttribute", "isSuperuser"),
        superuserGroup,
        settings.map("attributes"),
        groups);
  }

  private static IllegalArgumentException cannotCombine(ProviderSettings settings, String key) {
    return new IllegalArgumentException(
        settings.path() + ".userDn cannot be combined with " + key + "; remove one");
  }

  /** The attributes of the entry that a login needs. */
  List<String> attributesToRead() {
    List<String> names = new ArrayList<>(attributes.values());
    names.addAll(nameCheck.attributes());
    names.add(superuser);
    if (!binds) {
      names.add(passwordAttribute);
    }
    if (!groups.ofEntry().isEmpty()) {
      names.add(groups.ofEntry());
    }
    return names;
  }
}
