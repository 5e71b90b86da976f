package dev.weir.scan.client;

import java.util.ArrayList;
import java.util.List;

import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** A question on its way to a server, or to several. For the loop. */
final class Call {
    final Question question;
    /** Place of the question in the request; several calls may share it, one a shard. */
    final int index;
    /** The only server that may be asked, or null. */
    final @Nullable Server pinned;
    final Exchange exchange;
    /** Where it was sent last. */
    @Nullable
    Server at;
    @Nullable
    Reply reply;
    String answeredBy = "";
    /** It will not be answered. */
    boolean hopeless;
    /** It is not to be sent. */
    boolean heldBack;
    private final List<Flight> flights = new ArrayList<>(1);

    /** The call as a server knows it. */
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

    /** The tag under which a link knows this call; one is drawn for a link that does not yet. */
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

    /** No link is to wait for it any more. */
    void forget() {
        for (Flight flight : flights) {
            flight.link().forget(flight.tag());
        }
        flights.clear();
    }
}
