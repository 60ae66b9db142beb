package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups through the API, and the commands that run the broker on this host: here a script. */
class BackupCommandTest {
  private static final String RUNNING = "{\"node\":\"n1\",\"state\":\"running\"}";
  private static final String DONE =
      "{\"node\":\"n1\",\"state\":\"done\",\"directory\":\"/b\",\"ranges_done\":3,\"bytes\":7}";

  private final FakeApi api = new FakeApi();

  @TempDir Path home;

  @AfterEach
  void stop() {
    api.close();
    List.of("fjordmq.home", "fjordmq.lib", "fjordmq.configuration", "fjordmq.java")
        .forEach(System::clearProperty);
  }

  private Cli waiting(String next) {
    api.on("POST /backup", RUNNING).on("GET /backup", RUNNING);
    return Cli.of(api)
        .pause(
            seconds -> {
              api.on("GET /backup", next);
              return true;
            });
  }

  @Test
  void shouldWaitForTheEndOfTheBackup() {
    assertThat(waiting(DONE).line("backup /b --rate 2"))
        .isEqualTo(
            new Cli.Result(
                0, "backup complete: 3 ranges, 7 bytes of rows, in /b on node n1\n", ""));
    assertThat(api.lines()).containsExactly("POST /backup", "GET /backup", "GET /backup");
    assertThat(api.requests().get(0).body())
        .isEqualTo("{\"directory\":\"/b\",\"bytes_per_second\":2097152}");
  }

  @Test
  void shouldReportAFailedBackup() {
    String failed = "{\"node\":\"n1\",\"state\":\"failed\",\"problem\":\"disk full\"}";
    assertThat(waiting(failed).line("backup /b"))
        .isEqualTo(new Cli.Result(1, "", "fjordmq: the backup failed: disk full\n"));
    String other = "{\"node\":\"n2\",\"state\":\"none\"}";
    assertThat(waiting(other).line("backup /b").err())
        .contains("node n1 writes the backup, but node n2 has responded");
  }

  @Test
  void shouldRejectInvalidArguments() {
    assertThat(Cli.of(api).line("backup").code()).isEqualTo(2);
    assertThat(Cli.of(api).line("backup /b --rate -1").err()).contains("--rate must be between");
    assertThat(api.lines()).isEmpty();
  }

  @Test
  void shouldPassAUrlAndItsSettings() {
    String line = "backup s3://b/p --s3-endpoint http://s3:9000 --s3-region eu-north-1 --rate 0";
    assertThat(waiting(DONE).line(line).code()).isZero();
    assertThat(api.requests().get(0).body())
        .isEqualTo(
            "{\"directory\":\"s3://b/p\",\"bytes_per_second\":0,"
                + "\"s3_endpoint\":\"http://s3:9000\",\"s3_region\":\"eu-north-1\"}");
    assertThat(Cli.of(api).line("backup /b --s3-region eu").err())
        .contains("--s3-endpoint and --s3-region are only for s3:// URLs");
    assertThat(Cli.of(api).line("backup gs://b/p").err())
        .contains("backups are in a directory or at s3://BUCKET/PREFIX, not at gs://b/p");
  }

  @Test
  void shouldShowAndCancel() {
    api.on("GET /backup", DONE).on("DELETE /backup", RUNNING);
    assertThat(Cli.of(api).line("backup status").out()).contains("state\tdone\n");
    assertThat(Cli.of(api).line("backup cancel").out()).isEqualTo("backup canceled\n");
  }

  @Test
  void shouldRunTheBrokerForBackupsOnThisHost() throws IOException {
    System.setProperty("fjordmq.home", home.toString());
    System.setProperty("fjordmq.lib", home.toString());
    System.setProperty("fjordmq.configuration", "/etc/fjordmq.yml");
    System.setProperty("fjordmq.java", home.resolve("java").toString());
    Path script = home.resolve("java");
    Files.writeString(script, "#!/bin/bash\necho \"${*: -4}\"\n[[ \"$*\" != */bad* ]] || exit 1\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    assertThat(new Cli().line("restore /b").out()).isEqualTo("--restore /b -c /etc/fjordmq.yml\n");
    assertThat(new Cli().line("recover"))
        .isEqualTo(
            new Cli.Result(
                0,
                "--recover show -c /etc/fjordmq.yml\n",
                "nothing was changed; if the other nodes are permanently lost, add --confirm to"
                    + " recover the node\n"));
    assertThat(new Cli().line("recover --confirm").out())
        .isEqualTo("--recover cluster -c /etc/fjordmq.yml\n");
    assertThat(new Cli().line("recover --range inbox-7 --confirm").out())
        .isEqualTo("--recover inbox-7 -c /etc/fjordmq.yml\n");
    assertThat(new Cli().line("recover --range 7").code()).isEqualTo(2);
    assertThat(new Cli().line("backup verify /b").out()).endsWith("--verify-backup /b\n");
    assertThat(new Cli().line("backup show /b").out()).endsWith("--show-backup /b\n");
    assertThat(new Cli().line("backup verify /bad").code()).isEqualTo(1);
    Files.writeString(script, "#!/bin/bash\necho \"${*: -2} $AWS_ENDPOINT_URL_S3 $AWS_REGION\"\n");
    String options = " --s3-endpoint http://s3:9000 --s3-region eu-north-1";
    assertThat(new Cli().line("backup verify s3://b/p" + options).out())
        .isEqualTo("--verify-backup s3://b/p http://s3:9000 eu-north-1\n");
    assertThat(new Cli().line("backup verify gs://b/p").err())
        .contains("backups are in a directory or at s3://BUCKET/PREFIX, not at gs://b/p");
  }
}
