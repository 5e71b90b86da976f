package dev.weir.storage.hooks;

import java.net.InetAddress;

import dev.weir.lua.hooks.HookRequest;
import dev.weir.wire.command.Extension;
import org.jspecify.annotations.Nullable;

/**
 * The translation of command extensions into the terms that handlers use (docs/reference/protocol.md#extensions). If an
 * extension is repeated, the last one counts.
 */
final class SenderFacts {
    private static final @Nullable String[] SPF = {null, "none", "pass", "fail", "softfail", "neutral", "permerror",
        "temperror"};
    private static final @Nullable String[] DKIM = {null, "none", "pass", "fail", "permerror", "temperror"};
    private static final @Nullable String[] DMARC = {null, "no_record", "pass", "fail_none", "fail_quarantine",
        "fail_reject", "permerror", "temperror"};
    private static final @Nullable String[] PTR = {null, "none", "present", "confirmed"};
    private static final String[] RECIPIENTS = {"1", "2-5", "6-20", "21+"};

    private SenderFacts() {}

    static HookRequest.Extensions of(Iterable<Extension> extensions) {
        @Nullable
        String domain = null;
        @Nullable
        InetAddress address = null;
        HookRequest.@Nullable Sender sender = null;
        for (Extension extension : extensions) {
            switch (extension) {
                case Extension.Domain(String name) -> domain = name;
                case Extension.SenderIp(InetAddress ip) -> address = ip;
                case Extension.SenderFacts facts -> sender = facts.factsClass() == 0 ? sender(facts) : sender;
                case Extension.Sides _,Extension.WideFlag _,Extension.Capabilities _,Extension.Protectors _ -> {
                    // For the storage, not for handlers.
                }
                case Extension.Unknown _ -> {
                    // An extension of a later version.
                }
            }
        }
        return new HookRequest.Extensions(domain, address, sender);
    }

    private static HookRequest.Sender sender(Extension.SenderFacts facts) {
        return new HookRequest.Sender(SPF[facts.spf()], DKIM[facts.dkim()], DMARC[facts.dmarc()],
                PTR[facts.reverseName()], facts.genericReverseName(), facts.tls(), RECIPIENTS[facts.recipients()]);
    }
}
