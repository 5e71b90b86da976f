package dev.weir.trap.smtp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.Decided;
import dev.weir.trap.decision.TrapCounters;
import dev.weir.trap.decision.TrapDecider;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapSettings;
import org.subethamail.smtp.MessageContext;
import org.subethamail.smtp.MessageHandler;
import org.subethamail.smtp.RejectException;
import org.subethamail.smtp.server.Session;

/** One mail while it arrives. For one thread. */
final class TrapMessage implements MessageHandler {
    private static final int CHUNK = 16 << 10;

    private final MessageContext context;
    private final TrapSettings settings;
    private final TrapDecider decider;
    private final TrapCounters counters;
    private final BodyBudget budget;
    private final List<String> recipients = new ArrayList<>();
    private String sender = "";
    private Optional<Door> door = Optional.empty();

    TrapMessage(MessageContext context, TrapSettings settings, TrapDecider decider, TrapCounters counters,
            BodyBudget budget) {
        this.context = context;
        this.settings = settings;
        this.decider = decider;
        this.counters = counters;
        this.budget = budget;
    }

    @Override
    public void from(String address) {
        sender = address == null ? "" : address;
    }

    @Override
    public void recipient(String address) throws RejectException {
        Optional<Door> own = door(address);
        if (own.isEmpty()) {
            counters.count(TrapCounters.Event.NO_TRAP);
            throw new RejectException(550, "5.1.1 No such mailbox");
        }
        if (door.isPresent() && door.get().purpose() != own.get().purpose()) {
            throw new RejectException(452, "4.5.3 Send to this recipient separately");
        }
        // A mail to several traps is one mail, so only one of them counts.
        door = door.or(() -> own);
        recipients.add(address);
    }

    /** A recipient with the purpose of its mail. */
    private record Door(Purpose purpose, String name) {}

    /** Returns what an address is for. Traps are last, because they may be whole domains. */
    private Optional<Door> door(String address) {
        return settings.complaints().flatMap(complaints -> complaints.keep().trap(address)
                .map(name -> new Door(Purpose.KEEP, name))
                .or(() -> complaints.sources().addresses().trap(address)
                        .map(name -> new Door(Purpose.COMPLAINT, name))))
                .or(() -> settings.wanted().flatMap(wanted -> wanted.sources().addresses().trap(address))
                        .map(name -> new Door(Purpose.WANTED, name)))
                .or(() -> settings.sources().addresses().trap(address)
                        .map(name -> new Door(Purpose.TRAP, name)));
    }

    @Override
    public String data(InputStream in) throws RejectException, IOException {
        try (BodyBudget.Share share = budget.share()) {
            Decided decided = take(in, share);
            TrapOutcome outcome = decided.outcome();
            if (outcome == TrapOutcome.NO_REPORT) {
                // The user learns what to do.
                throw new RejectException(554, "5.6.0 " + decided.reason());
            }
            if (outcome == TrapOutcome.TOO_LARGE) {
                throw new RejectException(552, "5.3.4 The mail is too large");
            }
            // After a defect, too: the mail is not lost, and a later version may take it.
            if (outcome.isTemporary() || outcome == TrapOutcome.FAILED) {
                throw new RejectException(451, "4.3.0 The mail cannot be taken now, try again later");
            }
            return "2.0.0 Ok";
        } finally {
            in.transferTo(OutputStream.nullOutputStream());
            if (context instanceof Session session && session.getSocket() instanceof LmtpSocket lmtp) {
                lmtp.repeatNextReply(recipients.size());
            }
        }
    }

    private Decided take(InputStream in, BodyBudget.Share share) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK);
        byte[] chunk = new byte[CHUNK];
        try {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                if (bytes.size() + read > settings.mailBytes()) {
                    decider.tooLarge(mail(bytes));
                    return Decided.of(TrapOutcome.TOO_LARGE);
                }
                // The stream doubles its array and is copied in the end.
                share.take(3L * read);
                bytes.write(chunk, 0, read);
            }
            return decider.take(mail(bytes));
        } catch (HttpException | OutOfMemoryError e) {
            counters.count(TrapOutcome.NOT_NOW);
            return Decided.of(TrapOutcome.NOT_NOW);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Decided.of(TrapOutcome.NOT_NOW);
        }
    }

    private TrapMail mail(ByteArrayOutputStream bytes) {
        Door to = door.orElseThrow();
        return new TrapMail(TrapMail.Way.DELIVERED, to.purpose(), bytes.toByteArray(), to.name(), client(),
                Optional.of(sender), recipients);
    }

    private Optional<InetAddress> client() {
        return context.getRemoteAddress() instanceof InetSocketAddress address
                ? Optional.of(address.getAddress())
                : Optional.empty();
    }

    @Override
    public void done() {
        recipients.clear();
        door = Optional.empty();
    }
}
