package io.fjordmq.auth.sql;

import io.fjordmq.auth.LocalServer;
import io.fjordmq.auth.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** MariaDB. */
record MariadbServer(LocalServer process) implements SqlServer {
  private static final Path SERVER = Path.of("/usr/sbin/mariadbd");
  private static final Path INSTALLER = Path.of("/usr/bin/mariadb-install-db");

  static MariadbServer start(Path parent, TestCertificates certificates) throws Exception {
    LocalServer.assumeInstalled(SERVER, "mariadb-server");
    int port = LocalServer.freePort();
    Path folder = LocalServer.folder(parent, "mariadb");
    TestCertificates copies = certificates.copyTo(folder);
    Path data = folder.resolve("data");
    LocalServer.run(
        folder,
        List.of(
            INSTALLER.toString(),
            "--no-defaults",
            "--datadir=" + data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve"));
    Path setup =
        Files.writeString(
            folder.resolve("setup.sql"),
            """
            CREATE DATABASE IF NOT EXISTS mqtt CHARACTER SET utf8mb4;
            CREATE USER IF NOT EXISTS 'admin'@'127.0.0.1' IDENTIFIED BY 'admin';
            GRANT ALL ON *.* TO 'admin'@'127.0.0.1' WITH GRANT OPTION;
            CREATE USER IF NOT EXISTS 'broker'@'127.0.0.1' IDENTIFIED BY 'PASSWORD';
            GRANT SELECT ON mqtt.* TO 'broker'@'127.0.0.1';
            CREATE USER IF NOT EXISTS 'certificate'@'127.0.0.1' REQUIRE X509;
            GRANT SELECT ON mqtt.* TO 'certificate'@'127.0.0.1';
            """
                .replace("PASSWORD", PASSWORD));
    LocalServer process =
        LocalServer.start(
            folder,
            port,
            List.of(
                SERVER.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=2", // commits survive SIGKILL
                "--init-file=" + setup,
                "--ssl-ca=" + copies.trust(),
                "--ssl-cert=" + copies.serverCert(),
                "--ssl-key=" + copies.serverKey()));
    return new MariadbServer(process);
  }

  @Override
  public String type() {
    return "mysql";
  }

  @Override
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mariadb://" + process.address() + "/mqtt?sslMode=disable", "admin", "admin");
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
  public void kill() throws Exception {
    process.stop("KILL");
  }

  @Override
  public String sleep(int seconds) {
    return "SLEEP(" + seconds + ")";
  }
}
