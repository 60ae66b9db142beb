package io.fjordmq.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.BackupStorage;
import io.fjordmq.testing.Proxy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The storage in S3, with a local server. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class S3StorageTest {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "aws.accessKeyId", LocalS3.KEY_ID,
          "aws.secretAccessKey", LocalS3.SECRET,
          "aws.maxAttempts", "2");

  @TempDir static Path folder;

  private @Nullable LocalS3 started;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    started = LocalS3.start(folder, Map.of());
    SETTINGS.forEach(System::setProperty);
  }

  @AfterAll
  void stop() {
    SETTINGS.keySet().forEach(System::clearProperty);
    if (started != null) {
      started.close();
    }
  }

  private LocalS3 s3() {
    return Objects.requireNonNull(started);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(BackupStorage storage, String name) throws IOException {
    try (InputStream in = storage.read(name)) {
      return in.readAllBytes();
    }
  }

  private static void write(BackupStorage storage, String name, byte[] content) throws IOException {
    try (BackupStorage.NewFile file = storage.create(name)) {
      for (int from = 0; from < content.length; from += 300_000) {
        file.write(content, from, Math.min(300_000, content.length - from));
      }
      file.commit();
    }
  }

  @Test
  void shouldReadWhatWasWritten() throws IOException {
    try (BackupStorage storage = s3().open(LocalS3.BUCKET, "a/files")) {
      assertThat(storage.location()).isEqualTo("s3://backups/a/files");
      storage.prepare();
      assertThat(storage.size("none")).isEmpty();
      storage.delete("none");
      storage.put("small", "text".getBytes(UTF_8));
      assertThat(read(storage, "small")).asString(UTF_8).isEqualTo("text");
      // Less than one part, exactly one and two parts, and more.
      for (int length :
          new int[] {
            0, 1, S3Upload.PART_BYTES, 2 * S3Upload.PART_BYTES, 2 * S3Upload.PART_BYTES + 1
          }) {
        byte[] content = random(length);
        write(storage, "file", content);
        assertThat(storage.size("file")).hasValue(length);
        assertThat(read(storage, "file")).isEqualTo(content);
      }
      assertThat(s3().openUploads("a/")).isZero();
      assertThatThrownBy(storage::prepare)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("s3://backups/a/files is not empty; choose a new prefix");
      storage.delete("file");
      storage.delete("small");
      storage.prepare();
    }
  }

  @Test
  void shouldNotMistakeAnotherPrefixForTheOwnOne() throws IOException {
    try (BackupStorage monday = s3().open(LocalS3.BUCKET, "week/1");
        BackupStorage later = s3().open(LocalS3.BUCKET, "week/10")) {
      later.put("MANIFEST", new byte[1]);
      monday.prepare();
      assertThat(monday.size("MANIFEST")).isEmpty();
    }
  }

  @Test
  void shouldDiscardAFileThatIsNotCommitted() throws IOException {
    try (BackupStorage storage = s3().open(LocalS3.BUCKET, "discarded")) {
      try (BackupStorage.NewFile file = storage.create("file")) {
        file.write(random(S3Upload.PART_BYTES + 1));
        assertThat(s3().openUploads("discarded/")).isOne();
      }
      assertThat(s3().openUploads("discarded/")).isZero();
      assertThat(s3().keys("discarded/")).isEmpty();
    }
  }

  @Test
  void shouldNameAMissingBucket() throws IOException {
    try (BackupStorage storage = s3().open("no-such-bucket", "a")) {
      assertThatThrownBy(storage::prepare)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("cannot list s3://no-such-bucket/a/ at " + s3().server().endpoint())
          .hasMessageContaining("the bucket no-such-bucket does not exist; create it");
    }
  }

  @Test
  void shouldReportWrongCredentials() throws IOException, InterruptedException {
    Map<String, String> checked = Map.of("INITIAL_NO_AUTH_ACTION_COUNT", "1");
    try (LocalS3 strict = LocalS3.start(folder, checked);
        BackupStorage storage = strict.open(LocalS3.BUCKET, "a")) {
      assertThatThrownBy(storage::prepare)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("HTTP 403 InvalidAccessKeyId; check the credentials")
          .hasMessageContaining("may list, read, write and delete objects of the bucket backups");
    }
  }

  @Test
  void shouldFailIfTheServerIsLostInTheMiddleOfAFile() throws IOException {
    try (Proxy proxy = new Proxy(s3().server().address());
        BackupStorage storage =
            LocalS3.open(
                LocalS3.BUCKET,
                "lost",
                URI.create("http://127.0.0.1:" + proxy.address().getPort()))) {
      try (BackupStorage.NewFile file = storage.create("file")) {
        file.write(random(S3Upload.PART_BYTES + 1));
        proxy.close();
        proxy.closeConnections();
        assertThatThrownBy(() -> file.write(random(S3Upload.PART_BYTES)))
            .isInstanceOf(BackupException.class)
            .hasMessageContaining("cannot write part 2 of s3://backups/lost/file at http://127")
            .hasMessageContaining("check the endpoint, the network and the service");
      }
      assertThat(s3().keys("lost/")).isEmpty();
    }
  }

  /** The operator waits for this request, so it must not be repeated for half a minute. */
  @Test
  void shouldSoonReportAServerThatDoesNotRespond() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      URI endpoint = URI.create("http://127.0.0.1:" + silent.getLocalPort());
      try (BackupStorage storage = LocalS3.open(LocalS3.BUCKET, "a", endpoint)) {
        assertThatThrownBy(storage::prepare)
            .isInstanceOf(BackupException.class)
            .hasMessage(
                "cannot list s3://backups/a/ at %s: no response within 5 s; check the endpoint, the"
                    + " network and the service",
                endpoint);
      }
    }
  }

  @Test
  void shouldRejectAnInvalidEndpoint() {
    for (String endpoint : new String[] {"s3.example.com", "ftp://a", "http:// a"}) {
      assertThatThrownBy(
              () -> LocalS3.open(LocalS3.BUCKET, "a", URI.create(endpoint.replace(" ", "%20"))))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("must be a URL like https://s3.example.com:9000, not");
    }
  }
}
