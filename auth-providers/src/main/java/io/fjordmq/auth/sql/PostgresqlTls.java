package io.fjordmq.auth.sql;

import io.fjordmq.auth.tls.PemFiles;
import org.postgresql.ssl.WrappedFactory;

/** TLS with PEM files. Created by the driver of PostgreSQL, which knows it only by its name. */
public final class PostgresqlTls extends WrappedFactory {
  /**
   * @param files see {@link PemFiles}
   */
  public PostgresqlTls(String files) {
    factory = new PemFiles(files).read().context().getSocketFactory();
  }
}
