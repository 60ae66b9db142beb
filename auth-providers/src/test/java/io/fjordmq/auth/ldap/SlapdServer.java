package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFReader;
import io.fjordmq.auth.LocalServer;
import io.fjordmq.auth.TestCertificates;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** OpenLDAP's slapd with the schema that EMQX documents, for the suffix {@code dc=emqx,dc=io}. */
record SlapdServer(LocalServer process, int tlsPort) implements AutoCloseable {
  static final String SUFFIX = "dc=emqx,dc=io";
  static final String READER = "cn=reader," + SUFFIX;
  static final String PASSWORD = "s3cret-of-the-reader";

  private static final Path PROGRAM = Path.of("/usr/sbin/slapd");

  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.1.4 NAME 'isSuperuser'
        EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.1 NAME ( 'mqttPublishTopic' 'mpt' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.2 NAME ( 'mqttSubscriptionTopic' 'mst' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.3 NAME ( 'mqttPubSubTopic' 'mpst' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.4 NAME ( 'mqttAclRule' 'mar' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      objectclass ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4 NAME 'mqttUser' SUP top STRUCTURAL
        MAY ( isSuperuser $ mqttPublishTopic $ mqttSubscriptionTopic $ mqttPubSubTopic $
              mqttAclRule $ l $ mail )
        MUST ( uid $ userPassword ) )
      objectclass ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.5 NAME 'mqttRules' SUP top AUXILIARY
        MAY ( mqttPublishTopic $ mqttSubscriptionTopic $ mqttPubSubTopic $ mqttAclRule ) )
      """;

  private static final String CONFIGURATION =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/nis.schema
      include FOLDER/mqtt.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      pidfile FOLDER/pid
      TLSCACertificateFile CA
      TLSCertificateFile CERT
      TLSCertificateKeyFile KEY
      TLSVerifyClient allow
      sizelimit 5000

      database mdb
      suffix "dc=emqx,dc=io"
      rootdn "cn=admin,dc=emqx,dc=io"
      rootpw admin
      directory FOLDER/data
      dbnosync
      access to attrs=userPassword by dn.exact="cn=reader,dc=emqx,dc=io" read by anonymous auth by * none
      access to dn.subtree="ou=hidden,dc=emqx,dc=io" by anonymous auth by * none
      access to * by * read
      """;

  private static final String ENTRIES =
      """
      dn: dc=emqx,dc=io
      objectClass: dcObject
      objectClass: organization
      dc: emqx
      o: emqx

      dn: cn=reader,dc=emqx,dc=io
      objectClass: organizationalRole
      objectClass: simpleSecurityObject
      cn: reader
      userPassword: PASSWORD

      dn: ou=testdevice,dc=emqx,dc=io
      objectClass: organizationalUnit
      ou: testdevice

      dn: ou=groups,dc=emqx,dc=io
      objectClass: organizationalUnit
      ou: groups
      """;

  static SlapdServer start(Path parent, TestCertificates certificates) throws Exception {
    LocalServer.assumeInstalled(PROGRAM, "slapd");
    int port = LocalServer.freePort();
    int tlsPort = LocalServer.freePort();
    Path folder = LocalServer.folder(parent, "slapd-" + port);
    TestCertificates copies = certificates.copyTo(folder);
    Files.createDirectory(folder.resolve("data"));
    // A line that begins with a space continues the previous one.
    Files.writeString(folder.resolve("mqtt.schema"), SCHEMA);
    Files.writeString(
        folder.resolve("slapd.conf"),
        CONFIGURATION
            .replace("FOLDER", folder.toString())
            .replace("CA\n", copies.trust() + "\n")
            .replace("CERT\n", copies.serverCert() + "\n")
            .replace("KEY\n", copies.serverKey() + "\n"));
    LocalServer process =
        LocalServer.start(
            folder,
            port,
            List.of(
                PROGRAM.toString(),
                "-f",
                folder.resolve("slapd.conf").toString(),
                "-h",
                "ldap://127.0.0.1:" + port + " ldaps://127.0.0.1:" + tlsPort,
                "-d",
                "none")); // stay in the foreground, and log only errors
    SlapdServer server = new SlapdServer(process, tlsPort);
    server.add(ENTRIES.replace("PASSWORD", PASSWORD));
    return server;
  }

  /** Connects as the administrator. */
  LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", process.port(), "cn=admin," + SUFFIX, "admin");
  }

  /** Adds entries, which are separated by empty lines. */
  void add(String ldif) throws Exception {
    try (LDAPConnection connection = connect();
        LDIFReader reader =
            new LDIFReader(new ByteArrayInputStream(ldif.getBytes(StandardCharsets.UTF_8)))) {
      var entry = reader.readEntry();
      while (entry != null) {
        connection.add(entry);
        entry = reader.readEntry();
      }
    }
  }

  /** Deletes all users and groups. */
  void clear() throws Exception {
    try (LDAPConnection connection = connect()) {
      for (String unit : List.of("testdevice", "groups")) {
        var found =
            connection.search(
                "ou=" + unit + "," + SUFFIX, SearchScope.ONE, "(objectClass=*)", "1.1");
        for (var entry : Objects.requireNonNull(found.getSearchEntries(), "entries")) {
          connection.delete(entry.getDN());
        }
      }
    }
  }

  @Override
  public void close() throws Exception {
    process.close();
  }
}
