package dev.weir.http.data;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.admin.AccessAdmin;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.admin.WaveAdmin;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.waves.WaveFigures;
import dev.weir.storage.waves.WaveReport;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.storage.waves.Waves;
import tools.jackson.core.JsonGenerator;

/** The requests for waves: a list, and what an operator does about one. */
public final class WaveEndpoints {
    private static final int MOST_WEIGHT = 1_000_000;
    private static final long MOST_FLAG = 0xffff_ffffL;

    private final StorageServer storage;
    private final WaveAdmin waves;

    /** Creates the requests about a storage. */
    public WaveEndpoints(StorageServer storage) {
        this.storage = storage;
        this.waves = new WaveAdmin(storage);
    }

    /** Returns the groups of an order, or one. Arguments: {@code by}, {@code most}, {@code wave}. */
    public HttpReply list(Arguments arguments) throws HttpException, RefusedException {
        Optional<String> name = arguments.text("wave");
        Waves.Order order = order(arguments.text("by").orElse("growth"));
        int most = (int) (long) arguments.number("most", 1, WaveAdmin.MOST).orElse(25L);
        List<WaveAdmin.Shown> shown = name.isPresent()
                ? List.of(waves.group(name.get()))
                : waves.top(order, most);
        Optional<Waves> counted = storage.waves();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeStringProperty("by", order.name().toLowerCase(Locale.ROOT));
            out.writeBooleanProperty("counted", counted.isPresent());
            Json.items(out, "flags", counted.flatMap(all -> all.settings().answer()).map(WaveSettings.Answer::flag)
                    .map(List::of).orElse(List.of()), flag -> out.writeNumber(Integer.toUnsignedLong(flag)));
            counted.ifPresent(all -> Json.object(out, "figures", () -> figures(out, all.figures())));
            Json.objects(out, "waves", shown, wave -> wave(out, wave, order));
        }));
    }

    private static Waves.Order order(String by) throws HttpException {
        return switch (by) {
            case "growth" -> Waves.Order.GROWTH;
            case "hour" -> Waves.Order.HOUR;
            case "day" -> Waves.Order.DAY;
            default -> throw new HttpException(400, "by must be growth, hour or day");
        };
    }

    private static void figures(JsonGenerator out, WaveFigures figures) {
        out.writeNumberProperty("groups", figures.groups());
        out.writeNumberProperty("answering", figures.answering());
        out.writeNumberProperty("excluded", figures.excluded());
        out.writeNumberProperty("signatures", figures.signatures());
        out.writeNumberProperty("capacity", figures.capacity());
        out.writeNumberProperty("largest", figures.largest());
        out.writeNumberProperty("checks", figures.checks());
        out.writeNumberProperty("dropped", figures.dropped());
        out.writeNumberProperty("left_out", figures.leftOut());
        out.writeNumberProperty("sampling", figures.sampling());
        out.writeNumberProperty("other_nodes", figures.nodes());
        out.writeNumberProperty("bytes", figures.bytes());
        out.writeNumberProperty("bytes_limit", figures.mostBytes());
    }

    private static void wave(JsonGenerator out, WaveAdmin.Shown shown, Waves.Order order) {
        WaveReport wave = shown.wave();
        out.writeStringProperty("name", wave.name());
        out.writeStringProperty("digest", wave.leader().hex());
        out.writeStringProperty("state", wave.state().label());
        out.writeBooleanProperty("answers", wave.answers());
        out.writeNumberProperty("ten_minutes", wave.tenMinutes());
        out.writeNumberProperty("hour", wave.hour());
        out.writeNumberProperty("day", wave.day());
        out.writeNumberProperty("checks", wave.checks());
        out.writeNumberProperty("growth", Math.round(wave.growth() * 10) / 10.0);
        out.writeNumberProperty("clients", wave.clients());
        out.writeNumberProperty("networks", wave.networks());
        out.writeNumberProperty("senders", wave.senders());
        out.writeNumberProperty("domains", wave.domains());
        out.writeNumberProperty("nodes", wave.nodes());
        out.writeNumberProperty("first", wave.firstMillis());
        out.writeNumberProperty("last", wave.lastMillis());
        Json.items(out, "curve", order == Waves.Order.DAY ? wave.hours() : wave.minutes(), out::writeNumber);
        shown.sample().ifPresent(sample -> HashEndpoints.sample(out, sample));
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < wave.members().size(); i++) {
            members.add(new Member(wave.members().get(i), shown.equalSlots().get(i)));
        }
        Json.objects(out, "members", members, member -> {
            out.writeStringProperty("digest", member.of().digest().hex());
            out.writeBooleanProperty("learnable", member.of().learnable());
            out.writeBooleanProperty("shingles", member.of().signature().isPresent());
            if (member.equal() >= 0) {
                out.writeNumberProperty("equal_shingles", member.equal());
            }
        });
    }

    private record Member(WaveReport.Member of, int equal) {}

    /**
     * Learns a group, or puts it on the skip list. Arguments: {@code wave}, {@code learn}, {@code weight},
     * {@code never}, {@code reason}, {@code days}.
     */
    public HttpReply change(Arguments arguments) throws HttpException, RefusedException, InterruptedException {
        String name = arguments.text("wave")
                .orElseThrow(() -> new HttpException(400, "wave is missing: the beginning of a digest"));
        Optional<Long> flag = arguments.number("learn", 0, MOST_FLAG);
        boolean never = arguments.has("never");
        if (flag.isPresent() == never) {
            throw new HttpException(400, "give learn=FLAG or never=1");
        }
        WaveAdmin.Done done;
        if (flag.isPresent()) {
            int weight = (int) (long) arguments.number("weight", 1, MOST_WEIGHT).orElse(1L);
            done = waves.learn(name, (int) (long) flag.get(), weight, arguments.by().get());
        } else {
            Optional<Instant> end = arguments.number("days", 1, AccessAdmin.LONGEST.toDays())
                    .map(days -> Instant.ofEpochMilli(storage.hashes().now()).plus(Duration.ofDays(days)));
            done = waves.never(name, arguments.text("reason").orElse(""), end, arguments.by().get());
        }
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeNumberProperty("hashes", done.hashes());
            if (!done.id().isEmpty()) {
                out.writeStringProperty("id", done.id());
            }
            Json.objects(out, "waves", List.of(done.wave()), wave -> wave(out, wave, Waves.Order.HOUR));
        }));
    }
}
