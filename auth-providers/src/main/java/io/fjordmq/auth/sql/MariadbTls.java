package io.fjordmq.auth.sql;

import io.fjordmq.auth.tls.PemContext;
import io.fjordmq.auth.tls.PemFiles;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.SQLException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.HostAddress;
import org.mariadb.jdbc.export.ExceptionFactory;
import org.mariadb.jdbc.plugin.TlsSocketPlugin;

/** TLS with PEM files. Found by the driver of MariaDB with {@link java.util.ServiceLoader}. */
public final class MariadbTls implements TlsSocketPlugin {
  static final String TYPE = "FJORDMQ_PEM";

  /** The option with the {@link PemFiles}. */
  static final String FILES = "fjordmqPemFiles";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public TrustManager[] getTrustManager(
      Configuration options, ExceptionFactory exceptions, HostAddress server) throws SQLException {
    TrustManager[] trust = files(options).trust();
    return trust == null ? authoritiesOfTheJdk() : trust;
  }

  private static TrustManager[] authoritiesOfTheJdk() throws SQLException {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      return factory.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new SQLException("cannot read the CA certificates of the JDK", e);
    }
  }

  @Override
  public KeyManager @Nullable [] getKeyManager(Configuration options, ExceptionFactory exceptions)
      throws SQLException {
    return files(options).keys();
  }

  private static PemContext files(Configuration options) throws SQLException {
    try {
      return new PemFiles(options.nonMappedOptions().getProperty(FILES, "")).read();
    } catch (IllegalArgumentException e) {
      throw new SQLException(e.getMessage(), e);
    }
  }
}
