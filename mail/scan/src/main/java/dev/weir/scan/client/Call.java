package dev.weir.scan.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.wire.key.PublicKey;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** A question in transit to one or more servers. For the event loop only. */
final class Call {
    final Question question;
    /** The index of the question in the request. Calls to several shards share one index. */
    final int index;
    /** The only server that may be asked, or null. */
    final @Nullable Server pinned;
    final Exchange exchange;
    /** The server that received the call last. */
    @Nullable
    Server at;
    @Nullable
    Reply reply;
    String answeredBy = "";
    /** The number of the attempt that sent the call last, from 0. */
    int attempt;
    /** Whether the client has given up on an answer. */
    boolean hopeless;
    /** Whether the call must not be sent. */
    boolean heldBack;
    private final List<Flight> flights = new ArrayList<>(1);

    /** A tag under which a link expects the reply to this call. */
    record Flight(Link link, int tag) {}

    Call(Question question, int index, @Nullable Server pinned, Exchange exchange) {
        this.question = question;
        this.index = index;
        this.pinned = pinned;
        this.exchange = exchange;
    }

    boolean isOpen() {
        return reply == null && !hopeless;
    }

    /** Returns the link to a server; for an update, the one on which the server got it before. */
    Link linkTo(Server target, Optional<PublicKey> key) {
        if (question.isUpdate()) {
            for (Flight flight : flights) {
                if (flight.link().server() == target) {
                    return flight.link();
                }
            }
        }
        return target.link(key);
    }

    /** Returns the local port from which the call was sent first, or will be sent; 0 if that is not known. */
    int port(Optional<PublicKey> key) {
        if (flights.isEmpty()) {
            return pinned == null ? 0 : pinned.port(key);
        }
        return flights.getFirst().link().port();
    }

    /** Returns the tag of this call on a link. Draws a new tag on first use. */
    int tagOn(Link link) {
        for (Flight flight : flights) {
            if (flight.link() == link) {
                return flight.tag();
            }
        }
        int tag = link.expect(this);
        flights.add(new Flight(link, tag));
        return tag;
    }

    /** Stops all links from waiting for this call. */
    void forget() {
        for (Flight flight : flights) {
            flight.link().forget(flight.tag());
        }
        flights.clear();
    }
}
