package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.alarms.Alarm;
import io.fjordmq.broker.alarms.AlarmQueries;
import io.fjordmq.broker.alarms.NodeAlarm;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The alarms of all nodes. */
final class AlarmsResource implements Resource {
  private static final String TAG = "Alarms";

  private final AlarmQueries alarms;

  /** An alarm. */
  record AlarmJson(
      @Field(value = "Name of the alarm", example = "disk_low") String name,
      @Field("Id of the node that reported the alarm first") String node,
      @Field("Ids of all nodes that reported the alarm; several only for alarms of the cluster")
          List<String> reportedBy,
      @Field("The problem, and what to do about it") String message,
      @Field("Machine-readable values by name, such as `range`") Map<String, String> details,
      @Field("When the alarm was activated, in cluster time") Instant activateAt,
      @Field("Duration in milliseconds; so far, if the alarm is still active") long duration,
      @Field("When the alarm was deactivated; absent while it is active")
          @Nullable Instant deactivateAt) {
    static AlarmJson of(NodeAlarm one, Instant now) {
      Alarm alarm = one.alarm();
      return new AlarmJson(
          alarm.name(),
          one.node(),
          one.nodes(),
          alarm.message(),
          alarm.details(),
          alarm.activatedAt(),
          alarm.duration(now).toMillis(),
          alarm.deactivatedAt());
    }
  }

  AlarmsResource(AlarmQueries alarms) {
    this.alarms = alarms;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), clear());
  }

  private Operation list() {
    return Operation.get("/alarms")
        .id("listAlarms")
        .tag(TAG)
        .summary("List the alarms of all nodes")
        .description(
            "The latest activation first. Nodes keep deactivated alarms in memory, up to"
                + " `alarmsConfig.maxHistory`. An alarm of the cluster, such as a range without a"
                + " leader, is listed once, even if several nodes report it.")
        .role(Role.VIEWER)
        .query(
            Parameter.flag(
                    "activated", "`true` lists active alarms, `false` lists deactivated ones")
                .orElse(true))
        .paged()
        .okList(AlarmJson.class)
        .handler(this::list);
  }

  private CompletableFuture<Response> list(Request request) {
    Paging paging = request.paging();
    return alarms
        .list(request.flag("activated"))
        .thenApply(
            result -> {
              List<AlarmJson> all =
                  result.alarms().stream().map(alarm -> AlarmJson.of(alarm, result.now())).toList();
              return paging.slice(all, result.problems());
            });
  }

  private Operation clear() {
    return Operation.delete("/alarms")
        .id("clearAlarmHistory")
        .tag(TAG)
        .summary("Clear the alarm history of all nodes")
        .description("Active alarms are not affected.")
        .role(Role.OPERATOR)
        .noContent()
        .handler(
            request ->
                alarms
                    .clearHistory()
                    .thenApply(
                        problems -> {
                          if (!problems.isEmpty()) {
                            throw ApiException.unavailable(
                                "the history was not cleared on all nodes; retry: "
                                    + String.join("; ", problems));
                          }
                          return Response.noContent();
                        }));
  }
}
