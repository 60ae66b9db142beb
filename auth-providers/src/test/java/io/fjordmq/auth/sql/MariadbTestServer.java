package io.fjordmq.auth.sql;

import io.fjordmq.auth.Installed;
import io.fjordmq.auth.TestCertificates;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.MariadbServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** MariaDB. */
record MariadbTestServer(MariadbServer server) implements SqlServer {
  private static final String USERS =
      """
      CREATE USER IF NOT EXISTS 'broker'@'127.0.0.1' IDENTIFIED BY 'PASSWORD';
      GRANT SELECT ON mqtt.* TO 'broker'@'127.0.0.1';
      CREATE USER IF NOT EXISTS 'certificate'@'127.0.0.1' REQUIRE X509;
      GRANT SELECT ON mqtt.* TO 'certificate'@'127.0.0.1';
      """;

  static MariadbTestServer start(Path parent, TestCertificates certificates) throws Exception {
    Installed.assume(MariadbServer.isInstalled(), "mariadb-server");
    Path folder = LocalServer.folder(parent, "mariadb");
    TestCertificates copies = certificates.copyTo(folder);
    return new MariadbTestServer(
        MariadbServer.start(
            folder,
            USERS.replace("PASSWORD", PASSWORD),
            List.of(
                "--ssl-ca=" + copies.trust(),
                "--ssl-cert=" + copies.serverCert(),
                "--ssl-key=" + copies.serverKey())));
  }

  @Override
  public String type() {
    return "mysql";
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  @Override
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mariadb://" + process().address() + "/mqtt?sslMode=disable",
        MariadbServer.ADMIN,
        MariadbServer.ADMIN);
  }

  @Override
  public void createEmqxTables() throws SQLException {
    execute(
        "DROP TABLE IF EXISTS mqtt_user, mqtt_acl",
        """
        CREATE TABLE `mqtt_user` (
          `id` int(11) unsigned NOT NULL AUTO_INCREMENT,
          `username` varchar(100) DEFAULT NULL,
          `password_hash` varchar(100) DEFAULT NULL,
          `salt` varchar(35) DEFAULT NULL,
          `is_superuser` tinyint(1) DEFAULT 0,
          `created` datetime DEFAULT NULL,
          PRIMARY KEY (`id`),
          UNIQUE KEY `mqtt_username` (`username`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
        """,
        """
        CREATE TABLE `mqtt_acl` (
          `id` int(11) unsigned NOT NULL AUTO_INCREMENT,
          `ipaddress` VARCHAR(60) NOT NULL DEFAULT '',
          `username` VARCHAR(255) NOT NULL DEFAULT '',
          `clientid` VARCHAR(255) NOT NULL DEFAULT '',
          `action` ENUM('publish', 'subscribe', 'all') NOT NULL,
          `permission` ENUM('allow', 'deny') NOT NULL,
          `topic` VARCHAR(255) NOT NULL DEFAULT '',
          `qos` tinyint(1),
          `retain` tinyint(1),
          PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
        """);
  }

  @Override
  public void changePassword(String password) throws SQLException {
    execute("SET PASSWORD FOR 'broker'@'127.0.0.1' = PASSWORD('" + password + "')");
    List<String> kills = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id FROM information_schema.processlist WHERE user = 'broker'")) {
      while (rows.next()) {
        kills.add("KILL " + rows.getLong(1));
      }
    }
    execute(kills.toArray(String[]::new));
  }

  @Override
  public void kill() {
    process().kill();
  }

  @Override
  public String sleep(int seconds) {
    return "SLEEP(" + seconds + ")";
  }
}
