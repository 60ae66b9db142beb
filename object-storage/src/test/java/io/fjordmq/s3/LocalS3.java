package io.fjordmq.s3;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.BackupStorage;
import io.fjordmq.broker.backup.ObjectLocation;
import io.fjordmq.testing.MotoServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A local S3 server, and a client that looks at its objects. */
final class LocalS3 implements AutoCloseable {
  static final String BUCKET = "backups";
  static final String KEY_ID = "test-key";
  static final String SECRET = "test-secret";

  private final MotoServer server;
  private final S3Client client;

  private LocalS3(MotoServer server) {
    this.server = server;
    this.client =
        S3Client.builder()
            .endpointOverride(server.endpoint())
            .forcePathStyle(true)
            .region(Region.US_EAST_1)
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY_ID, SECRET)))
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .build();
  }

  /** Starts a server with a bucket; skips the test if it cannot be installed. */
  static LocalS3 start(Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    Optional<Path> program = MotoServer.install(Path.of("target/s3").toAbsolutePath());
    assumeTrue(program.isPresent(), "moto cannot be installed; see target/s3/moto-install.log");
    LocalS3 started = new LocalS3(MotoServer.start(program.get(), folder, environment));
    started.client.createBucket(create -> create.bucket(BUCKET));
    return started;
  }

  MotoServer server() {
    return server;
  }

  /** Opens a prefix with the code under test. */
  BackupStorage open(String bucket, String prefix) throws BackupException {
    return open(bucket, prefix, server.endpoint());
  }

  static BackupStorage open(String bucket, String prefix, URI endpoint) throws BackupException {
    return new S3().open(new ObjectLocation(bucket, prefix, endpoint.toString(), null));
  }

  /** Returns all keys with this prefix, in order. */
  List<String> keys(String prefix) {
    return client.listObjectsV2(list -> list.bucket(BUCKET).prefix(prefix)).contents().stream()
        .map(S3Object::key)
        .toList();
  }

  /** Returns the number of uploads below a prefix that are neither complete nor aborted. */
  int openUploads(String prefix) {
    return (int)
        client.listMultipartUploads(list -> list.bucket(BUCKET)).uploads().stream()
            .filter(upload -> upload.key().startsWith(prefix))
            .count();
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
