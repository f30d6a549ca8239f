/** How calls are counted, for the help of the commands that count them. */
export const ATTRIBUTION_HELP = `
The service shows calls, not campaigns. Which calls are of which campaign is worked out from the log and from all that was
sent from this machine: vagent help campaigns has the rules. An attempt that another campaign or call could have made as
well counts for one of them, and is ambiguous. A contact is reached when a call was completed, and not with a machine:
that is voicemail. It is waiting while attempts are left; then its last status counts.
`;
