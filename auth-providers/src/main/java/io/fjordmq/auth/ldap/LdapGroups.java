package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.SearchScope;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the groups of a client are found: in an attribute of its entry, or by searching groups that
 * have it as a member.
 *
 * @param ofEntry the attribute of the client's entry with the DNs of its groups; empty for none
 * @param base where groups are searched; null to not search them
 * @param memberAttribute the attribute of a group with its members
 * @param nameAttribute the attribute of a group with its name
 */
record LdapGroups(String ofEntry, @Nullable DN base, String memberAttribute, String nameAttribute) {
  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("memberOfAttribute"),
          ProviderKey.value("groupBaseDn"),
          ProviderKey.value("groupMemberAttribute"),
          ProviderKey.value("groupNameAttribute"));

  private static final Logger LOG = LoggerFactory.getLogger(LdapGroups.class);
  private static final int MAX_GROUPS = 1_000;

  /** Groups of POSIX accounts list user names; others list distinguished names. */
  private static final String MEMBER_UID = "memberUid";

  /**
   * A group of a client.
   *
   * @param name null if the group is not below {@link #base}, or has no name
   * @param entry null if the group is only known from the client's entry
   */
  record Group(DN dn, @Nullable String name, @Nullable Entry entry) {}

  static LdapGroups of(ProviderSettings settings) {
    DN base = null;
    if (settings.isSet("groupBaseDn")) {
      base = DnTemplate.requireDn(settings, "groupBaseDn", settings.text("groupBaseDn"));
    }
    for (String key : List.of("groupMemberAttribute", "groupNameAttribute")) {
      if (base == null && settings.isSet(key)) {
        throw new IllegalArgumentException(
            settings.path() + "." + key + " needs " + settings.path() + ".groupBaseDn");
      }
    }
    return new LdapGroups(
        settings.text("memberOfAttribute", ""),
        base,
        settings.text("groupMemberAttribute", "member"),
        settings.text("groupNameAttribute", "cn"));
  }

  /** Whether groups are configured. */
  boolean areUsed() {
    return !ofEntry.isEmpty() || base != null;
  }

  /**
   * Returns the groups of a client. Blocks.
   *
   * @param attributes the attributes of groups to read, in addition to their name
   */
  Collection<Group> groupsOf(
      LdapDirectory directory, ClientContext client, Entry entry, List<String> attributes)
      throws ProviderException {
    Map<DN, Group> groups = new LinkedHashMap<>();
    for (Group group : groupsIn(entry)) {
      groups.put(group.dn(), group);
    }
    for (Group group : search(directory, client, entry, attributes)) {
      groups.put(group.dn(), group); // with its entry
    }
    return groups.values();
  }

  private List<Group> groupsIn(Entry entry) {
    String[] named = ofEntry.isEmpty() ? null : entry.getAttributeValues(ofEntry);
    if (named == null) {
      return List.of();
    }
    List<Group> groups = new ArrayList<>();
    for (String value : named) {
      try {
        DN dn = new DN(value);
        groups.add(new Group(dn, nameBelowBase(dn), null));
      } catch (LDAPException e) {
        LOG.debug(
            "Ignoring a group that is not a DN: {} attribute={} entry={}",
            value,
            ofEntry,
            entry.getDN());
      }
    }
    return groups;
  }

  private @Nullable String nameBelowBase(DN dn) {
    RDN first = dn.getRDN();
    if (first == null || base == null || !dn.isDescendantOf(base, false)) {
      return null;
    }
    String[] names = first.getAttributeNames();
    String[] values = first.getAttributeValues();
    for (int i = 0; i < names.length; i++) {
      if (names[i].equalsIgnoreCase(nameAttribute)) {
        return values[i];
      }
    }
    return null;
  }

  private List<Group> search(
      LdapDirectory directory, ClientContext client, Entry entry, List<String> attributes)
      throws ProviderException {
    String member =
        memberAttribute.equalsIgnoreCase(MEMBER_UID) ? client.userName() : entry.getDN();
    if (base == null || member == null) {
      return List.of();
    }
    List<String> wanted = new ArrayList<>(attributes);
    wanted.add(nameAttribute);
    List<Group> groups = new ArrayList<>();
    for (Entry group :
        directory.search(
            base.toString(),
            SearchScope.SUB,
            Filter.createEqualityFilter(memberAttribute, member),
            MAX_GROUPS,
            wanted)) {
      try {
        groups.add(new Group(group.getParsedDN(), group.getAttributeValue(nameAttribute), group));
      } catch (LDAPException e) {
        throw LdapFailures.of(e);
      }
    }
    return groups;
  }
}
