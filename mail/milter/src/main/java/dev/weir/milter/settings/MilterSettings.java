package dev.weir.milter.settings;

import java.net.InetAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.http.controller.Actions;
import dev.weir.http.settings.BindText;
import dev.weir.model.Networks;

/**
 * The section {@code worker "milter"} with the thresholds of {@code actions}.
 *
 * @param binds the addresses to listen on
 * @param allowed the networks that may connect besides this machine; empty if there are none
 * @param onFailure what becomes of a mail that could not be scanned completely
 * @param onReject what becomes of a mail whose score reaches the action {@code reject}
 * @param rejectText the text of a refusal, one line of ASCII
 * @param subject the subject of a mail with the action {@code rewrite subject}: {@code %s} stands for the old one,
 *            {@code %d} for the score
 * @param spamHeader the name of the field that marks spam; empty for none
 * @param resultHeader whether the field {@code X-Spamd-Result} is added
 * @param mailBytes the largest mail that is scanned; the rest of a larger one is not received
 * @param connections maximum number of open connections; others are closed at once
 * @param idle maximum time between two packets of a mail server
 * @param scan maximum time for scanning a mail
 * @param actions score thresholds
 */
public record MilterSettings(List<SocketAddress> binds, Optional<Networks> allowed, OnFailure onFailure,
        OnReject onReject, String rejectText, String subject, String spamHeader, boolean resultHeader, int mailBytes,
        int connections, Duration idle, Duration scan, Actions actions) {
    /** The port of Rspamd's proxy, where its milter listens. */
    public static final int DEFAULT_PORT = 11_332;

    /** What becomes of a mail that could not be scanned completely. */
    public enum OnFailure {
        /** The mail is accepted. */
        ACCEPT,
        /** The client has to try again later. */
        DEFER
    }

    /** What becomes of a mail with the action {@code reject}. */
    public enum OnReject {
        /** The client gets an error. */
        REJECT,
        /** The mail is accepted and dropped. */
        DISCARD,
        /** The mail server holds the mail back. */
        QUARANTINE
    }

    /** Copies the list. */
    public MilterSettings {
        binds = List.copyOf(binds);
    }

    /** Returns whether a mail server at an address may connect. */
    public boolean admits(InetAddress address) {
        return address.isLoopbackAddress() || allowed.filter(networks -> networks.contains(address)).isPresent();
    }

    /**
     * Returns why no mail server could use one of these addresses: it is open to more than this machine, and only this
     * machine may connect.
     *
     * @return a sentence without a subject, such as {@code listens on ...}
     */
    static Optional<String> shutDoor(List<SocketAddress> binds, Optional<Networks> allowed) {
        return allowed.isPresent()
                ? Optional.empty()
                : BindText.openToOthers(binds)
                        .map(bind -> "listens on " + bind
                                + ", which is open to more than this machine, and has no allow_ip: name the networks"
                                + " of the mail servers");
    }

    /**
     * Requires networks that may connect, if an address is open to more than this machine.
     *
     * @throws IllegalArgumentException with the result of {@link #shutDoor}
     */
    public void requireOpenDoor() {
        shutDoor(binds, allowed).ifPresent(problem -> {
            throw new IllegalArgumentException("worker \"milter\" " + problem);
        });
    }

    /** Returns a copy with other addresses. */
    public MilterSettings withBinds(List<? extends SocketAddress> addresses) {
        return new MilterSettings(List.copyOf(addresses), allowed, onFailure, onReject, rejectText, subject, spamHeader,
                resultHeader, mailBytes, connections, idle, scan, actions);
    }
}
