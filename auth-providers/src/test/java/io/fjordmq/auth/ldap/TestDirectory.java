package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFReader;
import io.fjordmq.auth.Installed;
import io.fjordmq.auth.TestCertificates;
import io.fjordmq.testing.DocumentedSection;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.SlapdServer;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * OpenLDAP's slapd with the schema in docs/AUTHENTICATION.md.
 *
 * @param suffix the name of the root of the directory
 */
record TestDirectory(SlapdServer slapd, int tlsPort, String suffix) implements AutoCloseable {
  static final String SUFFIX = "dc=emqx,dc=io";
  static final String READER = "cn=reader," + SUFFIX;
  static final String PASSWORD = "s3cret-of-the-reader";

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
      suffix "SUFFIX"
      rootdn "cn=admin,SUFFIX"
      rootpw admin
      directory FOLDER/data
      dbnosync
      access to attrs=userPassword by dn.exact="cn=reader,SUFFIX" read by anonymous auth by * none
      access to dn.subtree="ou=hidden,SUFFIX" by anonymous auth by * none
      access to * by * read
      """;

  private static final String ROOT =
      """
      dn: SUFFIX
      objectClass: dcObject
      objectClass: organization
      o: Test
      """;

  private static final String ENTRIES =
      """
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

  /** Starts a server with some entries below {@link #SUFFIX}. */
  static TestDirectory start(Path parent, TestCertificates certificates) throws Exception {
    TestDirectory server = start(parent, certificates, SUFFIX);
    server.add(ENTRIES.replace("PASSWORD", PASSWORD));
    return server;
  }

  /** Starts a server that has only the entry of its suffix. */
  static TestDirectory start(Path parent, TestCertificates certificates, String suffix)
      throws Exception {
    Installed.assume(SlapdServer.isInstalled(), "slapd");
    int port = FreePorts.one();
    int tlsPort = FreePorts.one();
    Path folder = LocalServer.folder(parent, "slapd-" + port);
    TestCertificates copies = certificates.copyTo(folder);
    SlapdServer.prepare(
        folder,
        CONFIGURATION
            .replace("SUFFIX", suffix)
            .replace("CA\n", copies.trust() + "\n")
            .replace("CERT\n", copies.serverCert() + "\n")
            .replace("KEY\n", copies.serverKey() + "\n"),
        DocumentedSection.of("AUTHENTICATION.md", "ldap").example("text", 0));
    String urls = "ldap://127.0.0.1:" + port + " ldaps://127.0.0.1:" + tlsPort;
    SlapdServer slapd = SlapdServer.start(folder, port, urls);
    TestDirectory server = new TestDirectory(slapd, tlsPort, suffix);
    server.add(ROOT.replace("SUFFIX", suffix));
    return server;
  }

  LocalServer process() {
    return slapd.process();
  }

  /** Connects as the administrator. */
  LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", process().port(), "cn=admin," + suffix, "admin");
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
  public void close() {
    slapd.close();
  }
}
