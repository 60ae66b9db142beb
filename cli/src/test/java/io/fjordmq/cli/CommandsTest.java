package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The request that each command sends, and what it prints. */
class CommandsTest {
  private final FakeApi api = new FakeApi();

  @AfterEach
  void stop() {
    api.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          listeners list                              | GET /listeners?limit=1000
          listeners list --node n1                    | GET /listeners?node=n1&limit=1000
          plugins list --node n1                      | GET /plugins?node=n1&limit=1000
          cluster drain-status                        | GET /load_rebalance/status?limit=1000
          ranges list --store inbox --leader n1       | GET /ranges?store=inbox&leader=n1&limit=1000
          clients list --limit 5                      | GET /clients?limit=5
          clients list --clientid a/b --node n1       | GET /clients?clientid=a%2Fb&node=n1&limit=1000
          clients list --username u --tenant t        | GET /clients?username=u&tenant=t&limit=1000
          clients list --like-clientid c --proto-ver 5 | GET /clients?like_clientid=c&proto_ver=5&limit=1000
          clients list --like-username b --ip-address ::1 | GET /clients?like_username=b&ip_address=%3A%3A1&limit=1000
          clients list --conn-state connected         | GET /clients?conn_state=connected&limit=1000
          why c1 --tenant t                           | GET /clients/c1/events?tenant=t
          trace list                                  | GET /trace
          subscriptions list --clientid c --topic a/# | GET /subscriptions?clientid=c&topic=a%2F%23&limit=1000
          subscriptions list --match-topic a --qos 1  | GET /subscriptions?match_topic=a&qos=1&limit=1000
          subscriptions list --share-group g --node n | GET /subscriptions?share_group=g&node=n&limit=1000
          subscriptions list --tenant t               | GET /subscriptions?tenant=t&limit=1000
          subscriptions show c1                       | GET /clients/c1/subscriptions
          topics list --topic a/b --tenant t          | GET /topics?topic=a%2Fb&tenant=t&limit=1000
          topics show a/b                             | GET /topics/a%2Fb
          retained list --topic a/+ --tenant t        | GET /mqtt/retainer/messages?topic=a%2F%2B&tenant=t&limit=1000
          clients queued c1                           | GET /clients/c1/mqueue_messages?payload=none&limit=1000
          clients inflight c1 --tenant t --payload plain | GET /clients/c1/inflight_messages?tenant=t&payload=plain&limit=1000
          alarms list                                 | GET /alarms?activated=true&limit=1000
          alarms list --history --limit 5             | GET /alarms?activated=false&limit=5
          ban list --tenant t                         | GET /banned?tenant=t&limit=1000
          slow-subscriptions list --tenant t          | GET /slow_subscriptions?tenant=t&limit=1000
          topic-metrics list --tenant t               | GET /mqtt/topic_metrics?tenant=t
          users list                                  | GET /users
          api-keys list                               | GET /api_key
          log levels --node n1                        | GET /log/levels?node=n1
          audit list --source key --operation-result failure | GET /audit?source=key&operation_result=failure&limit=1000
          audit list --source-ip ::1 --operation-id login | GET /audit?source_ip=%3A%3A1&operation_id=login&limit=1000
          """)
  void shouldList(String words, String request) {
    api.on(request, "{\"data\":[],\"meta\":{\"page\":1,\"limit\":1000,\"hasnext\":false}}");
    Cli.Result result = Cli.of(api).line(words);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    assertThat(api.lines()).containsExactly(request);
    assertThat(result.out()).matches("[A-Z%/-]+(\t[A-Z%/-]+)*\n"); // the headers
    assertThat(Cli.of(api).line(words + " --json").out()).isEqualTo("[]\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          cluster status     | GET /cluster                   | {"self":"n1"}        | self\tn1
          ranges show r-1    | GET /ranges/r-1                | {"load":{"bytes":1}} | load.bytes\t1
          voters             | GET /voters                    | {"inbox":3}          | inbox\t3
          clients show a/b   | GET /clients/a%2Fb             | {"clientid":"a/b"}   | clientid\ta/b
          clients show ü --tenant t | GET /clients/%C3%BC?tenant=t | {"clientid":"ü"} | clientid\tü
          topic-metrics show a/b | GET /mqtt/topic_metrics/a%2Fb | {"topic":"a/b"}   | topic\ta/b
          retained show a/b  | GET /mqtt/retainer/message/a%2Fb | {"qos":1}          | qos\t1
          """)
  void shouldShow(String words, String request, String json, String printed) {
    api.on(request, json);
    assertThat(Cli.of(api).line(words)).isEqualTo(new Cli.Result(0, printed + "\n", ""));
    assertThat(Cli.of(api).line(words + " --json")).isEqualTo(new Cli.Result(0, json + "\n", ""));
    assertThat(api.lines()).containsExactly(request, request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          cluster remove n2 --yes  | DELETE /nodes/n2 | `` | {"message":"removed n2"} | removed n2
          alarms clear             | DELETE /alarms | `` | `` | alarm history cleared
          cluster accept-clock     | POST /cluster/accept_clock | `` | {"message":"advanced"} | advanced
          cluster upgrade --yes    | POST /cluster/upgrade | `` | {"message":"raised"} | raised
          ranges split r-1         | POST /ranges/r-1/split | `` | {"message":"splitting"} | splitting
          ranges merge r-1         | POST /ranges/r-1/merge | `` | {"message":"merging"} | merging
          ranges move r-1 --from n1 --to n2 | POST /ranges/r-1/move | {"from":"n1","to":"n2"} | {"message":"moving"} | moving
          ranges move-leader r-1 --to n2 | POST /ranges/r-1/move_leader | {"to":"n2"} | {"message":"moving"} | moving
          ranges unpin r-1         | POST /ranges/r-1/unpin | `` | {"message":"unpinned"} | unpinned
          plugins reload my-auth --node n1 | POST /plugins/my-auth/reload?node=n1 | `` | {"message":"reloaded"} | reloaded
          ranges cancel r-1        | POST /ranges/r-1/cancel | `` | {"message":"canceled"} | canceled
          ranges rebuild r-1 --yes | POST /ranges/r-1/rebuild | `` | {"message":"rebuilding"} | rebuilding
          ranges rebuild r-1 --node n2 --yes | POST /ranges/r-1/rebuild?node=n2 | `` | {"message":"rebuilding"} | rebuilding
          cluster drain n1 | POST /load_rebalance/n1/evacuation/start | {} | {"message":"begun"} | begun
          cluster drain n1 --rate 5 | POST /load_rebalance/n1/evacuation/start | {"conn_evict_rate":5} | {"message":"begun"} | begun
          cluster undrain n1 | POST /load_rebalance/n1/evacuation/stop | `` | {"message":"ended"} | ended
          cluster decommission n1 --no-wait --yes | POST /nodes/n1/decommission | `` | {"message":"moving"} | moving
          ranges lower-clock r-1   | POST /ranges/r-1/lower_clock | `` | {"message":"lowered"} | lowered
          voters inbox=5 dist=1    | PUT /voters | {"inbox":5,"dist":1} | {"inbox":5} | inbox\t5
          clients kick c1          | DELETE /clients/c1 | `` | `` | client 'c1' disconnected
          clients kick @c1         | DELETE /clients/%40c1 | `` | `` | client '@c1' disconnected
          clients kick -- -c1      | DELETE /clients/-c1 | `` | `` | client '-c1' disconnected
          clients kick c1 --tenant t | DELETE /clients/c1?tenant=t | `` | `` | client 'c1' disconnected
          clients kick-user alice --tenant t | DELETE /clients?username=alice&tenant=t | `` | {"kicked":3} | 3 clients of user 'alice' disconnected
          subscriptions add c1 a/# --qos 1 | POST /clients/c1/subscribe | {"topic":"a/#","qos":1} | {"topic":"a/#"} | client 'c1' subscribed to 'a/#'
          subscriptions del c1 a/# --tenant t | POST /clients/c1/unsubscribe?tenant=t | {"topic":"a/#"} | `` | client 'c1' unsubscribed from 'a/#'
          retained delete a/b --yes | DELETE /mqtt/retainer/message/a%2Fb | `` | `` | deleted the retained message of 'a/b'
          retained delete # --tenant t --yes | DELETE /mqtt/retainer/messages?topic=%23&tenant=t | `` | `` | deleted all retained messages that match '#'
          publish a/b hello --tenant t | POST /publish?tenant=t | {"topic":"a/b","qos":0,"retain":false,"payload":"hello"} | {"id":"1"} | published to 'a/b'
          publish a/b              | POST /publish | {"topic":"a/b","qos":0,"retain":false,"payload":""} | {"reason_code":16,"message":"no_matching_subscribers"} | published to 'a/b': no matching subscribers
          publish a x --qos 2 --retain --content-type t --expiry 60 | POST /publish | {"topic":"a","qos":2,"retain":true,"payload":"x","properties":{"content_type":"t","message_expiry_interval":60}} | {"id":"1"} | published to 'a'
          publish a x --response-topic r --correlation-data d --user-property k=v | POST /publish | {"topic":"a","qos":0,"retain":false,"payload":"x","properties":{"response_topic":"r","correlation_data":"d","user_properties":{"k":"v"}}} | {"id":"1"} | published to 'a'
          ban add clientid c1      | POST /banned | {"as":"clientid","who":"c1"} | {"as":"clientid"} | clientid 'c1' banned
          ban add username u --reason bad | POST /banned | {"as":"username","who":"u","reason":"bad"} | {} | username 'u' banned
          ban add peerhost ::1 --for 90m | POST /banned | {"as":"peerhost","who":"::1","until":"2026-11-26T13:30:00Z"} | {} | peerhost '::1' banned
          ban add cidr 10.0.0.0/8 --until 2027-01-31T13:00:00+01:00 | POST /banned | {"as":"peerhost_net","who":"10.0.0.0/8","until":"2027-01-31T12:00:00Z"} | {} | cidr '10.0.0.0/8' banned
          ban add clientid c --tenant t | POST /banned | {"as":"clientid","who":"c","tenant":"t"} | {} | clientid 'c' banned
          ban del clientid c --tenant t | DELETE /banned/clientid/c?tenant=t | `` | `` | ban of clientid 'c' removed
          ban del cidr 10.0.0.0/8  | DELETE /banned/peerhost_net/10.0.0.0%2F8 | `` | `` | ban of cidr '10.0.0.0/8' removed
          log set-level clients INFO | PUT /log/levels/clients | {"level":"info"} | {"data":[{"node":"n1","logger":"io.fjordmq.clients","level":"info"},{"node":"n2"}],"meta":{}} | io.fjordmq.clients logs at level info on n1, n2
          log set-level a.B debug --node n1 --for 10m | PUT /log/levels/a.B | {"level":"debug","node":"n1","for_seconds":600} | {"data":[{"node":"n1","logger":"a.B","level":"debug"}]} | a.B logs at level debug on n1
          log reset-level a.B --node n1 | DELETE /log/levels/a.B?node=n1 | `` | {"data":[{"node":"n1","logger":"a.B","level":"info"}]} | a.B logs at level info on n1
          trace start --client c1 --name n | POST /trace | {"name":"n","type":"clientid","clientid":"c1","payload_encode":"hidden","end_at":"2026-11-26T12:10:00Z"} | {"name":"n","end_at":"e"} | trace 'n' runs until e; read it with: fjordmq trace follow n
          trace start --topic a/# --for 90s --payload hex --tenant t | POST /trace | {"name":"topic-20261126-120000","type":"topic","topic":"a/#","payload_encode":"hex","end_at":"2026-11-26T12:01:30Z","tenant":"t"} | {"name":"n","end_at":"e"} | trace 'n' runs until e; read it with: fjordmq trace follow n
          trace start --ip 10.0.0.0/8 --payload none | POST /trace | {"name":"ip-address-20261126-120000","type":"ip_address","ip_address":"10.0.0.0/8","payload_encode":"hidden","end_at":"2026-11-26T12:10:00Z"} | {"name":"n","end_at":"e"} | trace 'n' runs until e; read it with: fjordmq trace follow n
          trace start --ip 10.0.0.1 --name n --format json | POST /trace | {"name":"n","type":"ip_address","ip_address":"10.0.0.1","payload_encode":"hidden","end_at":"2026-11-26T12:10:00Z","formatter":"json"} | {"name":"n","end_at":"e"} | trace 'n' runs until e; read it with: fjordmq trace follow n
          trace stop n --tenant t  | PUT /trace/n/stop?tenant=t | {} | {"name":"n"} | trace 'n' stopped
          trace stop n             | PUT /trace/n/stop | {} | {"name":"n"} | trace 'n' stopped
          trace delete n --yes     | DELETE /trace/n | `` | `` | trace 'n' deleted
          slow-subscriptions clear | DELETE /slow_subscriptions | `` | `` | slow subscriptions cleared
          topic-metrics add a/b    | POST /mqtt/topic_metrics | {"topic":"a/b"} | {"topic":"a/b"} | topic 'a/b' registered
          topic-metrics reset a --tenant t | PUT /mqtt/topic_metrics?tenant=t | {"action":"reset","topic":"a"} | `` | counters of topic 'a' reset
          topic-metrics del a/b    | DELETE /mqtt/topic_metrics/a%2Fb | `` | `` | topic 'a/b' is no longer registered
          users logout-all --yes   | POST /login/rotate_key | `` | `` | token key replaced; all users must log in again
          users del bob --yes      | DELETE /users/bob | `` | `` | user 'bob' deleted
          api-keys del k --yes     | DELETE /api_key/k | `` | `` | API key 'k' deleted
          """)
  void shouldChange(String words, String request, String body, String reply, String printed) {
    api.on(request, reply.isEmpty() ? 204 : 200, reply);
    assertThat(Cli.of(api).line(words)).isEqualTo(new Cli.Result(0, printed + "\n", ""));
    assertThat(api.requests()).containsExactly(new FakeApi.Recorded(request, BASIC, body));
    assertThat(Cli.of(api).line(words.replaceFirst("^(\\S+ ?\\S*)", "$1 --json")).out())
        .isEqualTo(reply.isEmpty() ? "" : reply + "\n");
  }

  @Test
  void shouldFailIfANodeKeepsItsLogLevel() {
    api.on(
        "PUT /log/levels/ROOT",
        "{\"data\":[{\"node\":\"n1\",\"logger\":\"ROOT\",\"level\":\"warn\"}],"
            + "\"meta\":{\"partial\":[\"node n2: did not respond\"]}}");
    Cli.Result result = Cli.of(api).line("log set-level ROOT warn");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("not changed on all nodes: node n2: did not respond");
    assertThat(Cli.of(api).line("log set-level ROOT warn --for 1w").err())
        .contains("--for must be");
  }

  private static final String BASIC = "Basic a2V5OnNlY3JldA==";

  @Test
  void shouldShowTheCountersOfTopics() {
    api.on(
        "GET /mqtt/topic_metrics",
        "[{\"topic\":\"a\",\"create_time\":\"2026-11-26T12:00:00Z\",\"metrics\":{"
            + "\"messages.in.count\":7,\"messages.in.rate\":0.25,\"messages.out.count\":3,"
            + "\"messages.out.rate\":0,\"messages.dropped.count\":1}}]");
    assertThat(Cli.of(api).line("topic-metrics list").out().lines().skip(1))
        .singleElement()
        .asString()
        .startsWith("a\t7\t0.3\t3\t0.0\t1\t2026-11-26T12:00:00Z");
  }

  @Test
  void shouldPrintAnApiKeyWithItsSecret() {
    api.on("POST /api_key", "{\"name\":\"k\",\"api_key\":\"a\",\"api_secret\":\"s\"}");
    Cli.Result result =
        Cli.of(api)
            .line("api-keys add k --role administrator --tenant t --description d --for 30d");
    assertThat(result.out()).isEqualTo("name\tk\napi_key\ta\napi_secret\ts\n");
    assertThat(result.err()).contains("cannot be shown again");
    assertThat(api.requests().get(0).body())
        .isEqualTo(
            "{\"name\":\"k\",\"role\":\"administrator\",\"tenant\":\"t\",\"desc\":\"d\","
                + "\"expired_at\":\"2026-12-26T12:00:00Z\"}");
    assertThat(Cli.of(api).line("api-keys add k --role viewer --json"))
        .isEqualTo(
            new Cli.Result(0, "{\"name\":\"k\",\"api_key\":\"a\",\"api_secret\":\"s\"}\n", ""));
  }

  @Test
  void shouldTestALoginWithACertificate(@TempDir Path folder) throws Exception {
    Path certificate = Files.writeString(folder.resolve("c.pem"), "PEM\n");
    api.on(
        "POST /authentication/test",
        "{\"result\":\"deny\",\"reason\":\"revoked\",\"steps\":[{\"chain\":\"certificate\","
            + "\"provider\":\"securityConfig.crl\",\"result\":\"deny\",\"millis\":1}]}");
    Cli.Result result =
        Cli.of(api).line("auth test --clientid c --listener tlsListener --cert " + certificate);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("securityConfig.crl").endsWith("result: deny: revoked\n");
    assertThat(api.requests().get(0).body())
        .isEqualTo("{\"clientid\":\"c\",\"cert\":\"PEM\\n\",\"listener\":\"tlsListener\"}");
    assertThat(Cli.of(api).line("auth test --clientid c --cert " + folder.resolve("no")).err())
        .contains("--cert: cannot read");
  }

  @Test
  void shouldKickTheOtherClientsIfOneIsUnknown() {
    api.on("DELETE /clients/a", 204, "")
        .on("DELETE /clients/b", 404, "{\"code\":\"X\",\"message\":\"client 'b' does not exist\"}")
        .on("DELETE /clients/c", 204, "");
    Cli.Result result = Cli.of(api).line("clients kick a b c");
    assertThat(result)
        .isEqualTo(
            new Cli.Result(
                1,
                "client 'a' disconnected\nclient 'c' disconnected\n",
                "fjordmq: client 'b' does not exist\n"));
  }

  @Test
  void shouldShowNodesRangesAndProblems() {
    api.on(
            "GET /nodes",
            "[{\"node\":\"n1\",\"name\":\"alpha\",\"state\":\"up\",\"address\":\"h:8899\",\"version\":\"1.0\","
                + "\"connections\":12,\"leads\":3,\"uptime\":93784000,\"disk_used\":13421772800,"
                + "\"disk_total\":107374182400,\"disk_low\":true},"
                + "{\"node\":\"n2\",\"name\":\"b\",\"state\":\"down\",\"address\":\"i:8899\",\"leads\":0}]")
        .on(
            "GET /cluster",
            "{\"name\":\"c\",\"env\":\"Test\",\"notes\":[\"cluster c, env Test\",\"clock of n2 is"
                + " ahead\"]}")
        .on(
            "GET /ranges?limit=1000",
            """
            {"data":[{"range":"inbox-1","leader":"n1","voters":[{"node":"n1","lag":0},{"node":"n2","lag":7}],
            "learners":[],"keys":"00..ff","load":{"requests_per_second":12,"busy_percent":3,"bytes":1536}}]}
            """);
    Cli.Result result = Cli.of(api).terminal(100).line("status --ranges");
    assertThat(result.out())
        .isEqualTo(
            """
            NODE  NAME   ADDRESS  STATE  VERSION  CLIENTS  LEADS  DISK                UPTIME
            n1    alpha  h:8899   up     1.0           12      3  12.5/100.0 GiB LOW  1d 2h
            n2    b      i:8899   down   -              -      0  -                   -

            RANGE    LEADER  VOTERS       REQUESTS/S  BUSY%     SIZE  KEYS
            inbox-1  n1      n1, n2 (-7)          12      3  1.5 KiB  00..ff
            """);
    assertThat(result.err()).isEqualTo("fjordmq: clock of n2 is ahead\n");
    assertThat(Cli.of(api).terminal(75).line("status").out())
        .isEqualTo(
            """
            NODE  NAME   ADDRESS  STATE  CLIENTS  LEADS  DISK                UPTIME
            n1    alpha  h:8899   up          12      3  12.5/100.0 GiB LOW  1d 2h
            n2    b      i:8899   down         -      0  -                   -
            """);
    assertThat(Cli.of(api).line("status --json").out()).startsWith("[{\"node\":\"n1\",");
    assertThat(Cli.of(api).line("status --json --ranges").code()).isEqualTo(2);
  }

  @Test
  void shouldShowPayloadsAsTextIfTheyAre() {
    String path = "GET /mqtt/retainer/message/a";
    api.on(path, "{\"topic\":\"a\",\"payload\":\"MjEuNQ==\"}");
    assertThat(Cli.of(api).line("retained show a").out()).isEqualTo("topic\ta\npayload\t21.5\n");
    assertThat(Cli.of(api).line("retained show a --json").out()).contains("MjEuNQ==");
    api.on(path, "{\"topic\":\"a\",\"payload\":\"/w==\"}");
    assertThat(Cli.of(api).line("retained show a").out())
        .isEqualTo("topic\ta\npayload_base64\t/w==\n");
  }

  @Test
  void shouldShowTheClusterAndItsProblems() {
    String json =
        "{\"name\":\"c\",\"nodes\":[\"n1\",\"n2\"],\"node_names\":{\"n1\":\"alpha\",\"n2\":\"n2\"},"
            + "\"notes\":[\"a, b\",\"c\"]}";
    api.on("GET /cluster", json);
    assertThat(Cli.of(api).line("cluster status"))
        .isEqualTo(
            new Cli.Result(0, "name\tc\nnodes\tn1 (alpha), n2\n", "fjordmq: a, b\nfjordmq: c\n"));
    assertThat(Cli.of(api).line("cluster status --json").out()).isEqualTo(json + "\n");
  }

  @Test
  void shouldShowAlarms() {
    api.on(
        "GET /alarms?activated=true&limit=100",
        """
        {"data":[{"name":"node_down","node":"n1","message":"Node n2 is down","activate_at":"2026-11-26T11:00:00.5Z",
        "duration":3600500}],"meta":{"partial":["node n3: did not respond in time"]}}
        """);
    Cli.Result result = Cli.of(api).terminal(100).line("alarms list");
    assertThat(result.out())
        .isEqualTo(
            """
            SINCE                 FOR    ALARM      NODE  MESSAGE
            2026-11-26T11:00:00Z  1h 0m  node_down  n1    Node n2 is down
            """);
    assertThat(result.err()).contains("warning: the list is incomplete: node n3: did not respond");
  }

  @Test
  void shouldExplainWhatHappenedToAClient() {
    api.on(
        "GET /clients/c1/events",
        """
        {"data":[{"at":"2026-11-26T11:00:00.123456Z","node":"n1","type":"dropped","message":"Dropped 2 messages on a/b",
        "count":2},{"at":"2026-11-26T11:00:01Z","node":"n1","type":"disconnected","message":"Disconnected: keep alive"}],
        "meta":{}}
        """);
    assertThat(Cli.of(api).line("why c1").out())
        .isEqualTo(
            """
            AT\tNODE\tTYPE\tEVENT
            2026-11-26T11:00:00.123Z\tn1\tdropped\tDropped 2 messages on a/b
            2026-11-26T11:00:01Z\tn1\tdisconnected\tDisconnected: keep alive
            """);
    // Long events continue on the next line of the terminal.
    assertThat(Cli.of(api).terminal(40).line("why c1").out())
        .isEqualTo(
            """
            AT                        NODE  EVENT
            2026-11-26T11:00:00.123Z  n1    Dropped 2 messages on a/b
            2026-11-26T11:00:01Z      n1    Disconnected: keep alive
            """);
  }

  @Test
  void shouldListBansWithTheWordsOfTheCommandLine() {
    api.on(
        "GET /banned?limit=1000",
        """
        {"data":[{"as":"peerhost_net","who":"10.0.0.0/8","by":"key","reason":"","at":"2026-11-26T11:00:00Z",
        "until":"infinity"}],"meta":{"hasnext":false}}
        """);
    assertThat(Cli.of(api).line("ban list").out())
        .isEqualTo(
            "KIND\tWHO\tTENANT\tBY\tREASON\tAT\tUNTIL\n"
                + "cidr\t10.0.0.0/8\t\tkey\t\t2026-11-26T11:00:00Z\tinfinity\n");
  }

  @Test
  void shouldReadTheWholeTableOfClients() {
    api.on(
        "GET /clients?limit=1000",
        """
        {"data":[{"clientid":"c1","username":"u","connected":true,"node":"n1","ip_address":"10.0.0.1","listener":"tcp",
        "proto_ver":5,"subscriptions_cnt":2,"inflight_cnt":0,"mqueue_len":3,"held_back_by":["a.b","c.d"],
        "connected_at":"2026-11-26T11:00:00Z"}]}
        """);
    assertThat(Cli.of(api).line("clients list").out())
        .endsWith("c1\tu\tyes\tn1\t10.0.0.1\ttcp\t5\t2\t0\t3\ta.b, c.d\t2026-11-26T11:00:00Z\n");
  }

  @Test
  void shouldSendNoRequestForInvalidArguments() {
    List<String> invalid =
        List.of(
            "voters inbox",
            "voters inbox=x",
            "ban add cidr 10.0.0.0/8 --for 1w",
            "ban add cidr 10.0.0.0/8 --for 0s",
            "ban add cidr 10.0.0.0/8 --until tomorrow",
            "ban add cidr 10.0.0.0/8 --until 2027-01-31T12:00:00Z --for 1h",
            "ban add host h",
            "users add bob --role root",
            "trace start",
            "trace start --client c --topic t",
            "trace start --client c --for 1w",
            "trace start --client c --payload base64",
            "trace start --client c --format xml",
            "publish a x --file f",
            "publish a --file /none/such",
            "clients list --limit -1",
            "clients list --watch=0");
    for (String words : invalid) {
      Cli.Result result = Cli.of(api).line(words);
      assertThat(result.code()).as(words).isEqualTo(2);
      assertThat(result.err()).as(words).startsWith("fjordmq: ").contains("--help");
    }
    assertThat(api.requests()).isEmpty();
  }
}
