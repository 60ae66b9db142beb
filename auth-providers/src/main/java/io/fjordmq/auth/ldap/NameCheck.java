package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Entry;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the user name and the client identifier of a client with those in its entry, if the
 * entry is found by them. Directories ignore case and spaces, but bans, rules and topics do not, so
 * another spelling must not be another name of the same client.
 *
 * @param userName the attribute with the user name; empty if it is not compared
 * @param clientId the attribute with the client identifier; empty if it is not compared
 */
record NameCheck(String userName, String clientId) {
  private static final String USER_NAME = "userNameAttribute";
  private static final String CLIENT_ID = "clientIdAttribute";

  static final List<ProviderKey> KEYS =
      List.of(ProviderKey.value(USER_NAME), ProviderKey.value(CLIENT_ID));

  /**
   * Reads the keys.
   *
   * @param templates the templates that find the entry
   * @throws IllegalArgumentException if the attribute with the client identifier is missing; the
   *     message begins with its key
   */
  static NameCheck of(ProviderSettings settings, Template... templates) {
    boolean byClientId = contains(Placeholder.Kind.CLIENTID, templates);
    if (byClientId != settings.isSet(CLIENT_ID)) {
      throw new IllegalArgumentException(
          settings.path()
              + "."
              + CLIENT_ID
              + (byClientId
                  ? " is required, because entries are found by ${clientid}; set it to the"
                      + " attribute with the client identifier"
                  : " needs the placeholder ${clientid} in baseDn, filter or userDn"));
    }
    return new NameCheck(
        contains(Placeholder.Kind.USERNAME, templates) ? settings.text(USER_NAME, "uid") : "",
        settings.text(CLIENT_ID, ""));
  }

  private static boolean contains(Placeholder.Kind kind, Template... templates) {
    return Arrays.stream(templates)
        .flatMap(template -> template.placeholders().stream())
        .anyMatch(one -> one.kind() == kind);
  }

  /** The attributes of the entry to read. */
  List<String> attributes() {
    return Stream.of(userName, clientId).filter(attribute -> !attribute.isEmpty()).toList();
  }

  /**
   * Returns why the entry belongs to another client; null if it does not.
   *
   * @throws ProviderException if the entry does not contain an attribute
   */
  @Nullable String mismatch(ClientContext client, Entry entry) throws ProviderException {
    if (!userName.isEmpty() && !values(entry, userName, USER_NAME).contains(client.userName())) {
      return "the entry " + entry.getDN() + " does not contain exactly this user name";
    }
    if (!clientId.isEmpty() && !values(entry, clientId, CLIENT_ID).contains(client.clientId())) {
      return "the entry " + entry.getDN() + " does not contain exactly this client identifier";
    }
    return null;
  }

  private static List<String> values(Entry entry, String attribute, String key)
      throws ProviderException {
    String[] values = entry.getAttributeValues(attribute);
    if (values == null) {
      throw ProviderException.aboutClient(
          "the entry "
              + entry.getDN()
              + " has no attribute "
              + attribute
              + ", or it cannot be read; see "
              + key,
          null);
    }
    return Arrays.asList(values);
  }
}
