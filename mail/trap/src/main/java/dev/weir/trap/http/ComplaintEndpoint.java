package dev.weir.trap.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.access.AccessLevel;
import dev.weir.http.controller.Endpoint;
import dev.weir.http.controller.Json;
import dev.weir.http.controller.Route;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.Decided;
import dev.weir.trap.decision.TrapDecider;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;

/**
 * The endpoint {@code /complaint}: a mail that a user complains about or wants to keep, or a report about one
 * (docs/integrate/traps.md#complaints).
 */
public final class ComplaintEndpoint implements Endpoint {
    private static final String PATH = "/complaint";
    private static final int MOST_NAME = 320;

    private final TrapDecider decider;
    private final int mostBytes;

    private ComplaintEndpoint(TrapDecider decider, int mostBytes) {
        this.decider = decider;
        this.mostBytes = mostBytes;
    }

    /**
     * Returns the route of the endpoint. Its clients need the right to change hashes.
     *
     * @param mostBytes the largest mail
     */
    public static Route route(TrapDecider decider, int mostBytes) {
        return new Route(PATH, AccessLevel.PRIVILEGED, new ComplaintEndpoint(decider, mostBytes));
    }

    @Override
    public HttpReply answer(Call call) throws HttpException, InterruptedException {
        byte[] mail = call.request().body();
        if (mail.length == 0) {
            throw new HttpException(400, "Empty body is not permitted");
        }
        if (mail.length > mostBytes) {
            throw new HttpException(413, "The mail is too large");
        }
        String vote = call.arguments().first("vote").orElse("spam").toLowerCase(Locale.ROOT);
        if (!vote.equals("spam") && !vote.equals("keep")) {
            throw new HttpException(400, "Vote must be spam or keep");
        }
        Optional<String> user = call.arguments().first("user").filter(name -> !name.isBlank());
        if (user.isEmpty() || user.get().length() > MOST_NAME) {
            throw new HttpException(400, "User must name who complains");
        }
        String report = call.arguments().first("report").orElse("no").toLowerCase(Locale.ROOT);
        if (!report.equals("yes") && !report.equals("no")) {
            throw new HttpException(400, "Report must be yes or no");
        }
        Decided decided = decider.take(new TrapMail(
                report.equals("yes") ? TrapMail.Way.HTTP_REPORT : TrapMail.Way.HTTP,
                vote.equals("spam") ? Purpose.COMPLAINT : Purpose.KEEP, mail, "http", Optional.empty(), user,
                List.of()));
        if (decided.outcome() == TrapOutcome.FAILED) {
            throw new HttpException(500, "The complaint could not be decided: the log says why");
        }
        byte[] json = Json.object(out -> {
            out.writeBooleanProperty("success", !decided.outcome().isTemporary());
            out.writeStringProperty("outcome", decided.outcome().word());
            out.writeStringProperty("reason", decided.reason());
        });
        return decided.outcome().isTemporary()
                ? new HttpReply(503, "The complaint cannot be taken now", HttpReply.JSON, List.of(), json)
                : HttpReply.ok(HttpReply.JSON, json);
    }
}
