/**
 * What agents and customers say, language by language. Nobody's gender is known here, so no line gives one away: in
 * Spanish and Hindi, speakers use no adjective and no verb form that would have to agree with them.
 */

export type Language = 'en' | 'es' | 'hi';
export type Goal = 'appointment' | 'lead' | 'payment' | 'survey' | 'reminder' | 'other';

/** How a conversation with a person ends: the outcome label of its log entry. */
export type Ending =
  | 'appointment_scheduled'
  | 'lead_qualified'
  | 'payment_collected'
  | 'payment_promised'
  | 'payment_refused'
  | 'survey_completed'
  | 'reminder_confirmed'
  | 'goal_achieved'
  | 'callback_requested'
  | 'not_interested';

/** Ways to say the same thing. */
type Lines = readonly string[];
/** Somebody's line and the other's reply. */
export type Exchange = readonly [line: string, reply: string];

/** One language, complete. `proposal` and `endings` may hold `{day}` and `{time}`, once each. */
export interface Phrases {
  /** `{day}` and `{time}` as they stand inside a sentence. */
  days: Lines;
  times: Lines;
  /** The agent, where no opening line was given. */
  greeting: Lines;
  /** The customer, to any opening line, whether it asks something or not. */
  answer: Lines;
  /** The agent's reason to call, where the instruction reads as its `{note}`; elsewhere a `quotation` holds it. */
  reason: Lines;
  quotation: Lines;
  /** From the matter of an instruction to a proposal that has nothing to do with it. */
  bridge: Lines;
  /** The customer, having heard what the call is about. */
  reaction: Lines;
  /** The customer strays, the agent replies. */
  asides: readonly Exchange[];
  /** What a call is about without an instruction, what the agent asks on the way, and what it then proposes. */
  goals: Record<Goal, { purpose: Lines; questions: readonly Exchange[]; proposal: Lines }>;
  /** The customer's decision and the agent's goodbye. */
  endings: Record<Ending, { decision: Lines; closing: Lines }>;
  /** The customer's last word. */
  goodbye: Lines;
  voicemail: { tone: Lines; missed: Lines; closing: Lines };
}

const ENGLISH: Phrases = {
  days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  times: [
    'half past nine',
    'ten',
    'a quarter past eleven',
    'noon',
    'half past two',
    'three',
    'four',
    'a quarter to five',
  ],
  greeting: [
    'Hello, thank you for picking up.',
    'Hi, do you have a moment to talk?',
    "Hello, I hope I'm not calling at a bad time.",
  ],
  answer: [
    'Hello. Yes, go ahead.',
    'Hi there. Yes, I can talk for a moment.',
    'Yes, speaking. What is it about?',
    "Oh, hello. Sure, I've got a minute.",
    "Yes, hello. I'm listening.",
    'Hi, yes, this is a good time.',
    'Yes? How can I help you?',
  ],
  reason: [
    "I'm calling to {note}.",
    'I wanted to {note}.',
    'I was asked to {note}.',
    "I'm getting in touch to {note}.",
  ],
  quotation: [
    'I have a note here for our call: “{note}”',
    'There is one thing on my list for this call: “{note}”',
    'I was given this note for our conversation: “{note}”',
  ],
  bridge: ['And there is one more thing.', 'There is something else.', 'One more thing, while I have you.'],
  reaction: [
    'Okay, I see.',
    'All right, that makes sense.',
    'I see. And what do you need from me?',
    'Hm, okay. Let me think.',
    'Right, I understand.',
    'All right. So what would be the next step?',
    'Good to know. Go on.',
  ],
  asides: [
    ['Sorry, you cut out for a second.', 'Sorry about that. Is it better now? I was just about to ask you something.'],
    ['Where did you get my number?', 'It is the one we have on file for you. I can take it out if you prefer.'],
    ['Is this going to take long?', 'Not at all, just a minute or two.'],
    ['Am I talking to a real person?', "I'm a virtual assistant, but our team reads every note I take."],
    ['One second, let me close the door. Okay, go on.', 'No hurry. Thank you.'],
    ['Can I get that in writing?', 'Yes, we can send you a short summary by text message.'],
    ['Did somebody from your team call me last week?', "It may have been a colleague. I'm sorry if you got two calls."],
    ["I'm in the car, but I've got you on speaker.", "Thanks for telling me. I'll be quick."],
    ['What number do I call if I have questions?', 'This one. We are here on weekdays from nine to six.'],
    ['Sorry, who did you say you were with?', "I'm calling for the team that looks after your account."],
  ],
  goals: {
    appointment: {
      purpose: [
        "I'm calling to find a time for your appointment.",
        'I would like to set up a visit for you, if you are interested.',
        'We have a few openings coming up, and I wanted to offer you one.',
      ],
      questions: [
        ['Have you been with us before?', 'Yes, about a year ago.'],
        ['How soon would you like to come in?', 'In the next week or two, if possible.'],
        ['Is the appointment for you or for somebody else?', "It's for me."],
        ['Is there anyone on our team you would like to see?', 'No, whoever is free is fine.'],
        ['Do you know how to find us?', 'Yes, I know where you are.'],
      ],
      proposal: [
        'Could you come in on {day} at {time}?',
        'For the appointment, I could offer you {day} at {time}. How does that sound?',
        'The next opening I have is {day} at {time}. Shall I book it for you?',
        'How about {day} at {time} for your appointment?',
      ],
    },
    lead: {
      purpose: [
        "I'm calling to see whether our service could be a good fit for you.",
        'I would like to hear what you are looking for, so that we can make you a fair offer.',
        'I wanted to ask whether what we offer could be useful to you.',
      ],
      questions: [
        ['How do you handle this at the moment?', 'Mostly by ourselves, and it takes too much time.'],
        ['How many people is it for?', 'There are about a dozen of us.'],
        ['When would you like to start?', 'Next month would be ideal.'],
        ['Do you have a budget in mind?', 'Roughly, yes. It depends on what is included.'],
        ['Do you decide on this yourself?', 'Together with my business partner.'],
      ],
      proposal: [
        'Would you like a specialist to prepare an offer for you?',
        'Is this something you would like to look at more closely?',
        'Shall I pass your details on to a specialist, who can send you a quote?',
      ],
    },
    payment: {
      purpose: [
        "I'm calling about the open balance on your account.",
        'There is a payment on your account that is still open, and I would like to help you settle it.',
        "I'm calling about your latest invoice, which seems to be unpaid.",
      ],
      questions: [
        ['Did you receive the invoice?', 'Yes, I have it here somewhere.'],
        ['Does the amount look familiar to you?', 'Let me see. Yes, I know which one it is.'],
        ['Is the email address we have still the right one?', 'Yes, it has not changed.'],
        ['Did anything go wrong with the payment?', 'Not that I know of.'],
        ['Would it help to split it into two payments?', "No, that wouldn't change much."],
      ],
      proposal: [
        'Could you take care of the open payment today?',
        'How would you like to settle the open amount?',
        'I can send you a secure payment link. Shall we settle it now?',
      ],
    },
    survey: {
      purpose: [
        "I'm calling to hear how satisfied you are with our service.",
        'We are asking some of our customers for their opinion, and yours would help us.',
        'I have a very short survey about your experience with us.',
      ],
      questions: [
        ['How easy was it to reach us?', 'Quite easy. I got through at once.'],
        ['Did we answer all your questions?', 'Most of them, yes.'],
        ['Was there anything you did not like?', 'The waiting time, to be honest.'],
        ['What did you like best?', 'Everybody was very friendly.'],
        ['Have you used our website as well?', 'A few times. It works fine.'],
      ],
      proposal: [
        'Would you tell me, from one to ten, how likely you are to recommend us?',
        'Could you give us a mark from one to ten?',
        'May I ask how you would rate us overall, from one to ten?',
      ],
    },
    reminder: {
      purpose: [
        "I'm calling with a friendly reminder of what you have coming up with us.",
        'This is just a short reminder, so that you have our date in mind.',
        'I wanted to make sure that you have not forgotten our date.',
      ],
      questions: [
        ['Do you have everything you need for it?', 'I think so, yes.'],
        ['Do you still have the details we sent you?', "Yes, they're in my email."],
        ['Has anything changed since we last spoke?', 'No, not on my side.'],
        ['Would you like another reminder the day before?', 'That would be helpful.'],
      ],
      proposal: ['Can I mark it as confirmed?', 'Is everything still on as planned?', 'Can we still count on you?'],
    },
    other: {
      purpose: [
        'I wanted to let you know about an offer that might suit you.',
        "I'm calling to tell you about something new that we have for you.",
        'I would like to go over something with you that could make things easier.',
      ],
      questions: [
        ['Had you heard of us before?', 'Yes, a friend mentioned you.'],
        ['Would it be just for you?', 'For me and my family.'],
        ['Is there anything you would like to know first?', 'Not for the moment.'],
        ['Is this the best number to reach you on?', 'Yes, this one is fine.'],
      ],
      proposal: ['Shall we go ahead with that?', 'Would that work for you?', 'Is that all right with you?'],
    },
  },
  endings: {
    appointment_scheduled: {
      decision: [
        '{day} at {time} works for me.',
        "Yes, that's perfect.",
        'Let me check my calendar. Yes, I can make that.',
        '{day}? Yes, that should be fine. Put me down, please.',
        'Yes, I can be there at {time}.',
      ],
      closing: [
        'Great, I have you down for {day} at {time}. We will text you a confirmation. Goodbye.',
        "Wonderful, it's booked: {day} at {time}. See you then, and have a nice day.",
        'Perfect, {day} at {time} it is. Thank you, and see you then.',
        'Done. We look forward to seeing you on {day} at {time}.',
      ],
    },
    lead_qualified: {
      decision: [
        'Yes, that sounds interesting. Please send me the details.',
        "Yes, we've been looking for something like this.",
        'Sure, go ahead. We want to decide this month.',
        "I'd like that, yes. The sooner the better.",
      ],
      closing: [
        'Excellent. A specialist will be in touch within a day. Thank you for your time.',
        "Very good, I've noted everything. You will hear from us soon. Goodbye.",
        "Great, I'll pass it on right away. Thank you, and have a good day.",
      ],
    },
    payment_collected: {
      decision: [
        "Send me the link and I'll do it now. One moment. There, it went through.",
        "I have my card here, so let's do it now. Okay, it says paid.",
        "Oh, I forgot about that. I'll pay in the app. Done.",
      ],
      closing: [
        'Thank you, I can see the payment. Your account is settled. Have a good day.',
        'Perfect, it has arrived, and a receipt is on its way. Goodbye.',
        'Thank you, that is everything. Sorry for the trouble, and goodbye.',
      ],
    },
    payment_promised: {
      decision: [
        "I can't right now, but I'll pay it on {day}.",
        "I'll transfer it on {day}, when my salary is in.",
        "Give me until {day}, please. I'll settle it then.",
      ],
      closing: [
        "Thank you, I'll note {day} as the day of payment. Goodbye.",
        "That's fine, I have written down {day}. Have a good day.",
        'Thank you. We will look out for it on {day}. Goodbye.',
      ],
    },
    payment_refused: {
      decision: [
        "I don't agree with that amount, so I won't pay it.",
        "I'm sorry, I can't pay that at the moment.",
        'No. I have already complained about that bill.',
      ],
      closing: [
        "I understand. I'll make a note, and a colleague will look into it. Goodbye.",
        "Thank you for being open about it. I'll pass that on. Goodbye.",
        'All right, we will check it on our side and write to you. Goodbye.',
      ],
    },
    survey_completed: {
      decision: [
        "I'd say an eight.",
        "A nine. I'm quite happy, really.",
        "Seven. There's some room for improvement.",
        "Ten. I've got nothing to complain about.",
        'Six, maybe. It has been better in the past.',
      ],
      closing: [
        'Thank you, that was all. Your answers help us a lot. Goodbye.',
        "I've noted that. Thank you for taking the time, and have a nice day.",
        'Thank you for being so honest. That was my last question. Goodbye.',
      ],
    },
    reminder_confirmed: {
      decision: [
        'Yes, everything is fine. I have it in my calendar.',
        'Yes, you can count on me. Thanks for the reminder.',
        'Oh, good that you called. Yes, all as planned.',
      ],
      closing: [
        'Great, I have marked it as confirmed. Thank you, goodbye.',
        'Perfect, then everything is settled. Have a nice day.',
        "Thank you, that's all I needed. Goodbye.",
      ],
    },
    goal_achieved: {
      decision: [
        'Yes, that works for me.',
        "Sure, let's do that.",
        "Sounds good, I'm happy with that.",
        'Yes, why not. Go ahead.',
      ],
      closing: [
        "Great, I'll take care of it right away. Thank you, goodbye.",
        "Perfect, that's all noted. Have a nice day.",
        'Wonderful. Thank you for your time, and goodbye.',
      ],
    },
    callback_requested: {
      decision: [
        'I have to run now. Could you call me back on {day} at {time}?',
        "I'd like to think it over. Can we talk again on {day} at {time}?",
        "Someone's at the door, sorry. Try me again on {day}, at {time}.",
        "I need to ask my partner first. Call me on {day} at {time} and I'll let you know.",
        "I can't say right now. Could we speak on {day} at {time}?",
      ],
      closing: [
        "Of course. I'll call you back on {day} at {time}. Goodbye.",
        'No problem, {day} at {time} is noted. Talk to you then.',
        'Sure, then we will speak on {day} at {time}. Have a good day.',
      ],
    },
    not_interested: {
      decision: [
        "Thank you, but I'm not interested.",
        "No, thank you. I'd rather not.",
        "I don't think so, sorry. That's not for me.",
        'To be honest, no. But thanks for asking.',
        "Sorry, no. And please don't call me about it again.",
      ],
      closing: [
        'I understand. Thank you for your time, and have a good day.',
        "That's quite all right. Thank you for listening. Goodbye.",
        "No problem at all, I'll make a note of that. Goodbye.",
      ],
    },
  },
  goodbye: ['Thanks, bye.', 'Thank you, goodbye.', 'All right, bye.', 'Okay, thanks for calling. Bye.'],
  voicemail: {
    tone: [
      'Please leave a message after the tone.',
      'The person you are calling is not available. Leave a message after the beep.',
      "Hi, I can't come to the phone right now. Leave me a message.",
    ],
    missed: ['Sorry I missed you.', "It's a pity I didn't catch you.", 'Just a short message for you.'],
    closing: [
      'Please call us back on this number when you have a moment. Thank you, goodbye.',
      "I'll try you again another time. Have a good day.",
      'You can reach us on this number on weekdays. Thank you, and goodbye.',
    ],
  },
};

const SPANISH: Phrases = {
  days: ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'],
  times: ['nueve y media', 'diez', 'once y cuarto', 'doce', 'tres y media', 'cuatro', 'cinco menos cuarto', 'seis'],
  greeting: [
    'Buenos días, gracias por contestar.',
    'Hola, ¿tiene un momento para hablar?',
    'Hola, espero no llamar en mal momento.',
  ],
  answer: [
    'Hola. Sí, dígame.',
    'Buenas. Sí, puedo hablar un momento.',
    'Sí, soy yo. ¿De qué se trata?',
    'Ah, hola. Claro, tengo un minuto.',
    'Sí, le escucho.',
    'Hola, sí, ahora me viene bien.',
    '¿Sí? ¿En qué le puedo ayudar?',
  ],
  reason: ['Le llamo para {note}.', 'Quería {note}.', 'Me pidieron {note}.', 'El motivo de mi llamada es {note}.'],
  quotation: [
    'Tengo aquí una nota para esta llamada: “{note}”',
    'Hay un punto en mi lista para hoy: “{note}”',
    'Me dejaron esta nota para nuestra conversación: “{note}”',
  ],
  bridge: ['Y hay otra cosa.', 'Además, hay algo más.', 'Y ya que hablamos, otra cosa.'],
  reaction: [
    'Ah, ya veo.',
    'De acuerdo, tiene sentido.',
    'Entiendo. ¿Y qué necesita de mí?',
    'Mmm, bueno. Déjeme pensar.',
    'Muy bien, comprendo.',
    'De acuerdo. ¿Y cuál sería el siguiente paso?',
    'Es bueno saberlo. Siga, por favor.',
  ],
  asides: [
    ['Perdone, se cortó un segundo.', 'Disculpe. ¿Me oye mejor ahora? Justo le iba a hacer una pregunta.'],
    ['¿De dónde sacaron mi número?', 'Es el que figura en nuestra ficha. Si lo prefiere, lo borramos.'],
    ['¿Esto va a tardar mucho?', 'Para nada, uno o dos minutos.'],
    ['¿Estoy hablando con una persona de verdad?', 'Es un sistema virtual, pero nuestro equipo lee cada nota.'],
    ['Un segundo, que cierro la puerta. Listo, siga.', 'Sin prisa. Gracias.'],
    ['¿Me lo puede mandar por escrito?', 'Sí, podemos enviarle un breve resumen por mensaje de texto.'],
    [
      '¿No me llamaron ya la semana pasada?',
      'Puede que fuera alguien de mi equipo. Disculpe si le llamamos dos veces.',
    ],
    ['Voy en el coche, pero tengo el manos libres.', 'Gracias por avisar. Seré breve.'],
    ['¿A qué número llamo si tengo dudas?', 'A este mismo. Atendemos de lunes a viernes, de nueve a seis.'],
    ['Perdón, ¿de parte de quién me dijo que llama?', 'Del equipo que lleva su cuenta.'],
  ],
  goals: {
    appointment: {
      purpose: [
        'Le llamo para buscar una fecha para su cita.',
        'Me gustaría concertar una visita con usted, si le interesa.',
        'Nos quedan algunos huecos libres y quería ofrecerle uno.',
      ],
      questions: [
        ['¿Ya ha estado antes con nosotros?', 'Sí, hace más o menos un año.'],
        ['¿Para cuándo le gustaría venir?', 'En una o dos semanas, si puede ser.'],
        ['¿La cita es para usted o para otra persona?', 'Es para mí.'],
        ['¿Prefiere que le atienda alguien en particular?', 'No, quien tenga un hueco.'],
        ['¿Sabe cómo llegar?', 'Sí, ya conozco el sitio.'],
      ],
      proposal: [
        '¿Podría venir el {day} a las {time}?',
        'Para la cita le puedo ofrecer el {day} a las {time}. ¿Qué le parece?',
        'El próximo hueco que tengo es el {day} a las {time}. ¿Se lo reservo?',
        '¿Qué tal el {day} a las {time} para su cita?',
      ],
    },
    lead: {
      purpose: [
        'Le llamo para ver si nuestro servicio encaja con lo que usted necesita.',
        'Me gustaría saber qué está buscando, para poder hacerle una buena oferta.',
        'Quería preguntarle si lo que ofrecemos le podría servir.',
      ],
      questions: [
        ['¿Cómo lo resuelven ahora?', 'Casi todo por nuestra cuenta, y nos lleva demasiado tiempo.'],
        ['¿Para cuántas personas sería?', 'Somos más o menos una docena.'],
        ['¿Cuándo le gustaría empezar?', 'Lo ideal sería el mes que viene.'],
        ['¿Tiene un presupuesto en mente?', 'Más o menos, sí. Depende de lo que incluya.'],
        ['¿La decisión la toma usted?', 'Sí, junto con mi socio.'],
      ],
      proposal: [
        '¿Quiere que un especialista le prepare una oferta?',
        '¿Le gustaría verlo con más detalle?',
        '¿Le paso sus datos a un especialista para que le envíe un presupuesto?',
      ],
    },
    payment: {
      purpose: [
        'Le llamo por el saldo pendiente de su cuenta.',
        'En su cuenta hay un pago pendiente y me gustaría ayudarle a resolverlo.',
        'Le llamo por su última factura, que al parecer sigue sin pagar.',
      ],
      questions: [
        ['¿Recibió la factura?', 'Sí, la tengo por aquí.'],
        ['¿Le suena el importe?', 'A ver. Sí, ya sé cuál es.'],
        ['¿Sigue usando el mismo correo electrónico?', 'Sí, no ha cambiado.'],
        ['¿Hubo algún problema con el pago?', 'Que yo sepa, no.'],
        ['¿Le ayudaría pagarlo en dos partes?', 'No, no cambiaría mucho.'],
      ],
      proposal: [
        '¿Podría hacer hoy el pago pendiente?',
        '¿Cómo le gustaría saldar el importe pendiente?',
        'Puedo enviarle un enlace de pago seguro. ¿Lo resolvemos ahora?',
      ],
    },
    survey: {
      purpose: [
        'Le llamo para saber qué le parece nuestro servicio.',
        'Estamos pidiendo su opinión a algunos clientes, y la suya nos ayudaría.',
        'Tengo una encuesta muy corta sobre su experiencia con nosotros.',
      ],
      questions: [
        ['¿Le resultó fácil contactar con nosotros?', 'Bastante. Me atendieron enseguida.'],
        ['¿Resolvimos todas sus dudas?', 'Casi todas, sí.'],
        ['¿Hubo algo que no le gustara?', 'La espera, la verdad.'],
        ['¿Qué fue lo que más le gustó?', 'La amabilidad de todo el mundo.'],
        ['¿Ha usado también nuestra página web?', 'Algunas veces. Funciona bien.'],
      ],
      proposal: [
        '¿Me diría, del uno al diez, hasta qué punto nos recomendaría?',
        '¿Nos pondría una nota del uno al diez?',
        '¿Le puedo pedir que nos valore en general, del uno al diez?',
      ],
    },
    reminder: {
      purpose: [
        'Le llamo para recordarle lo que tiene pendiente con nosotros.',
        'Es solo un breve recordatorio, para que tenga presente nuestra fecha.',
        'Quería asegurarme de que no se le olvide nuestra fecha.',
      ],
      questions: [
        ['¿Tiene todo lo que necesita?', 'Creo que sí.'],
        ['¿Conserva los datos que le enviamos?', 'Sí, los tengo en el correo.'],
        ['¿Ha cambiado algo desde la última vez?', 'Por mi parte, no.'],
        ['¿Quiere otro recordatorio el día antes?', 'Me vendría bien.'],
      ],
      proposal: ['¿Lo dejo confirmado?', '¿Sigue todo según lo previsto?', '¿Podemos seguir contando con usted?'],
    },
    other: {
      purpose: [
        'Quería contarle una oferta que le puede convenir.',
        'Le llamo para hablarle de algo nuevo que tenemos para usted.',
        'Me gustaría comentarle algo que le puede facilitar las cosas.',
      ],
      questions: [
        ['¿Ya había oído hablar de nosotros?', 'Sí, por una amistad.'],
        ['¿Sería solo para usted?', 'Para mí y mi familia.'],
        ['¿Hay algo que quiera saber antes?', 'Por el momento, no.'],
        ['¿Es este el mejor número para contactarle?', 'Sí, este está bien.'],
      ],
      proposal: ['¿Seguimos adelante con eso?', '¿Le vendría bien?', '¿Qué le parece?'],
    },
  },
  endings: {
    appointment_scheduled: {
      decision: [
        'El {day} a las {time} me viene bien.',
        'Sí, perfecto.',
        'Déjeme mirar la agenda. Sí, puedo.',
        '¿El {day}? Sí, sin problema. Apúnteme, por favor.',
        'Sí, a las {time} puedo estar ahí.',
      ],
      closing: [
        'Estupendo, queda apuntado para el {day} a las {time}. Le enviaremos un mensaje de confirmación. Hasta luego.',
        'Muy bien, reservado: el {day} a las {time}. Nos vemos entonces, que tenga un buen día.',
        'Perfecto, entonces el {day} a las {time}. Muchas gracias y hasta pronto.',
        'Listo. Le esperamos el {day} a las {time}.',
      ],
    },
    lead_qualified: {
      decision: [
        'Sí, suena interesante. Mándeme los detalles, por favor.',
        'Sí, llevamos tiempo buscando algo así.',
        'Claro, adelante. Queremos decidirlo este mes.',
        'Me gustaría, sí. Cuanto antes, mejor.',
      ],
      closing: [
        'Excelente. Un especialista se pondrá en contacto con usted en un día. Gracias por su tiempo.',
        'Muy bien, tengo todo anotado. Pronto tendrá noticias nuestras. Hasta luego.',
        'Estupendo, lo paso ahora mismo. Gracias y que tenga un buen día.',
      ],
    },
    payment_collected: {
      decision: [
        'Mándeme el enlace y lo hago ahora. Un momento. Ya está, ha pasado.',
        'Tengo la tarjeta aquí, hagámoslo ya. Listo, dice que está pagado.',
        'Ay, se me había olvidado. Lo pago por la aplicación. Hecho.',
      ],
      closing: [
        'Gracias, ya veo el pago. Su cuenta está al día. Que tenga un buen día.',
        'Perfecto, ya ha llegado, y el recibo va en camino. Hasta luego.',
        'Gracias, eso es todo. Disculpe la molestia y hasta luego.',
      ],
    },
    payment_promised: {
      decision: [
        'Ahora mismo no puedo, pero lo pago el {day}.',
        'Le hago la transferencia el {day}, cuando cobre.',
        'Deme hasta el {day}, por favor. Entonces lo pago.',
      ],
      closing: [
        'Gracias, anoto el {day} como fecha de pago. Hasta luego.',
        'De acuerdo, queda apuntado para el {day}. Que tenga un buen día.',
        'Gracias. Entonces lo esperamos el {day}. Hasta luego.',
      ],
    },
    payment_refused: {
      decision: [
        'No estoy de acuerdo con ese importe, así que no lo voy a pagar.',
        'Lo siento, en este momento no puedo pagarlo.',
        'No. Ya puse una reclamación por esa factura.',
      ],
      closing: [
        'Lo entiendo. Tomo nota y alguien del equipo lo revisará. Hasta luego.',
        'Gracias por su franqueza. Lo voy a comunicar. Hasta luego.',
        'De acuerdo, lo comprobamos y le escribimos. Hasta luego.',
      ],
    },
    survey_completed: {
      decision: [
        'Yo diría que un ocho.',
        'Un nueve. La verdad es que no me puedo quejar.',
        'Un siete. Se puede mejorar alguna cosa.',
        'Un diez. Siempre me han tratado muy bien.',
        'Un seis, quizás. Antes iba mejor.',
      ],
      closing: [
        'Gracias, eso era todo. Sus respuestas nos ayudan mucho. Hasta luego.',
        'Tomo nota. Gracias por su tiempo y que tenga un buen día.',
        'Gracias por su sinceridad. Era la última pregunta. Hasta luego.',
      ],
    },
    reminder_confirmed: {
      decision: [
        'Sí, todo bien. Lo tengo en la agenda.',
        'Sí, cuente conmigo. Gracias por recordármelo.',
        'Ah, qué bien que llama. Sí, todo según lo previsto.',
      ],
      closing: [
        'Estupendo, lo dejo confirmado. Gracias y hasta luego.',
        'Perfecto, entonces todo en orden. Que tenga un buen día.',
        'Gracias, era todo lo que necesitaba. Hasta luego.',
      ],
    },
    goal_achieved: {
      decision: ['Sí, me viene bien.', 'Claro, hagámoslo así.', 'Me parece bien.', 'Sí, ¿por qué no? Adelante.'],
      closing: [
        'Estupendo, me ocupo ahora mismo. Gracias y hasta luego.',
        'Perfecto, queda todo anotado. Que tenga un buen día.',
        'Muy bien. Gracias por su tiempo y hasta luego.',
      ],
    },
    callback_requested: {
      decision: [
        'Ahora tengo que irme. ¿Me puede llamar el {day} a las {time}?',
        'Me gustaría pensarlo. ¿Hablamos otra vez el {day} a las {time}?',
        'Perdone, llaman a la puerta. Inténtelo el {day} a las {time}.',
        'Antes tengo que consultarlo en casa. Llámeme el {day} a las {time} y le digo.',
        'Ahora mismo no le sé decir. ¿Podemos hablar el {day} a las {time}?',
      ],
      closing: [
        'Por supuesto. Le llamo el {day} a las {time}. Hasta luego.',
        'No hay problema, anoto el {day} a las {time}. Hablamos entonces.',
        'Claro, entonces hablamos el {day} a las {time}. Que tenga un buen día.',
      ],
    },
    not_interested: {
      decision: [
        'Gracias, pero no me interesa.',
        'No, gracias. Prefiero que no.',
        'Creo que no, lo siento. No es para mí.',
        'La verdad es que no, pero gracias por preguntar.',
        'Lo siento, no. Y por favor, no me llamen más por esto.',
      ],
      closing: [
        'Lo entiendo. Gracias por su tiempo y que tenga un buen día.',
        'No pasa nada. Gracias por escucharme. Hasta luego.',
        'Sin problema, tomo nota. Hasta luego.',
      ],
    },
  },
  goodbye: [
    'Gracias, adiós.',
    'Muchas gracias, hasta luego.',
    'De acuerdo, adiós.',
    'Bueno, gracias por llamar. Adiós.',
  ],
  voicemail: {
    tone: [
      'Por favor, deje su mensaje después de la señal.',
      'La persona a la que llama no está disponible. Deje un mensaje después del tono.',
      'Hola, ahora no puedo contestar. Déjeme un mensaje.',
    ],
    missed: [
      'Siento no haber podido hablar con usted.',
      'Lástima que no hayamos coincidido.',
      'Le dejo un breve mensaje.',
    ],
    closing: [
      'Por favor, llámenos a este número cuando tenga un momento. Gracias y hasta luego.',
      'Volveré a intentarlo en otro momento. Que tenga un buen día.',
      'Nos encuentra en este número de lunes a viernes. Muchas gracias y hasta luego.',
    ],
  },
};

const HINDI: Phrases = {
  days: ['सोमवार', 'मंगलवार', 'बुधवार', 'गुरुवार', 'शुक्रवार', 'शनिवार'],
  times: [
    'सुबह साढ़े नौ बजे',
    'सुबह दस बजे',
    'सुबह सवा ग्यारह बजे',
    'दोपहर बारह बजे',
    'दोपहर ढाई बजे',
    'दोपहर साढ़े तीन बजे',
    'शाम चार बजे',
    'शाम सवा पाँच बजे',
  ],
  greeting: [
    'नमस्ते, फ़ोन उठाने के लिए धन्यवाद।',
    'नमस्ते, क्या अभी दो मिनट बात हो सकती है?',
    'नमस्कार, उम्मीद है कि इस समय फ़ोन करना ठीक है।',
  ],
  answer: [
    'नमस्ते। जी हाँ, बताइए।',
    'जी, बोलिए।',
    'हाँ जी, अभी बात हो सकती है।',
    'जी हाँ, कहिए, क्या बात है?',
    'नमस्ते। हाँ, मेरे पास एक मिनट है।',
    'हाँ, हैलो। जी, मैं ही हूँ, कहिए।',
  ],
  reason: ['हमसे कहा गया है कि {note}।', 'हमने सोचा कि {note}।', 'हमारी टीम ने कहा है कि {note}।'],
  quotation: [
    'इस कॉल के लिए मेरे पास यह नोट है: “{note}”',
    'मेरी आज की सूची में यह बात लिखी है: “{note}”',
    'आज मुझे आपसे इस बारे में बात करनी है: “{note}”',
    'हमारी टीम ने इस कॉल के लिए यह नोट दिया है: “{note}”',
  ],
  bridge: ['एक बात और है।', 'साथ ही एक और बात पूछनी थी।', 'और हाँ, एक बात और।'],
  reaction: [
    'अच्छा, ठीक है।',
    'जी, बात समझ में आई।',
    'अच्छा। तो मुझे क्या करना होगा?',
    'हम्म, अच्छा। ज़रा सोचने दीजिए।',
    'ठीक है, आगे बताइए।',
    'अच्छा हुआ कि आपने बताया।',
  ],
  asides: [
    ['माफ़ कीजिए, बीच में आवाज़ कट गई थी।', 'कोई बात नहीं। अब आवाज़ ठीक आ रही है? मुझे आपसे बस एक बात पूछनी थी।'],
    ['मेरा नंबर आपको कहाँ से मिला?', 'यह नंबर हमारे रिकॉर्ड में है। आप चाहें तो हम इसे हटा देंगे।'],
    ['क्या इसमें बहुत समय लगेगा?', 'बिल्कुल नहीं, बस एक-दो मिनट।'],
    ['क्या यह कोई मशीन बोल रही है?', 'जी, यह एक वर्चुअल सहायक है, पर हर कॉल का ब्योरा हमारी टीम देखती है।'],
    ['एक सेकंड, दरवाज़ा बंद करने दीजिए। हाँ, अब बोलिए।', 'कोई जल्दी नहीं है। धन्यवाद।'],
    ['क्या यह मुझे लिखकर मिल सकता है?', 'जी हाँ, हम आपको एसएमएस पर जानकारी भेज सकते हैं।'],
    ['क्या पिछले हफ़्ते भी आपके यहाँ से फ़ोन आया था?', 'हो सकता है। दो बार परेशान करने के लिए माफ़ी चाहते हैं।'],
    ['मैं अभी गाड़ी में हूँ, पर स्पीकर पर बात हो सकती है।', 'बताने के लिए धन्यवाद। बात छोटी-सी है।'],
    ['कोई सवाल हो तो किस नंबर पर फ़ोन करना होगा?', 'इसी नंबर पर। हम सोमवार से शुक्रवार, नौ से छह बजे तक मिलते हैं।'],
    ['माफ़ कीजिए, आपने कहाँ से फ़ोन किया है?', 'हम आपके खाते की देखभाल करने वाली टीम से हैं।'],
  ],
  goals: {
    appointment: {
      purpose: [
        'आपकी अपॉइंटमेंट का समय तय करने के लिए फ़ोन किया है।',
        'हम आपके लिए मिलने का एक समय तय करना चाहते हैं।',
        'हमारे पास कुछ समय ख़ाली हैं, इसलिए आपको फ़ोन किया है।',
      ],
      questions: [
        ['क्या आप पहले भी हमारे यहाँ आए हैं?', 'जी हाँ, करीब एक साल पहले।'],
        ['आप कब तक आना चाहेंगे?', 'हो सके तो एक-दो हफ़्ते में।'],
        ['यह अपॉइंटमेंट आपके लिए है या किसी और के लिए?', 'मेरे लिए ही है।'],
        ['क्या आप किसी ख़ास व्यक्ति से मिलना चाहेंगे?', 'नहीं, जो भी उपलब्ध हो, ठीक है।'],
        ['क्या आपको हमारा पता मालूम है?', 'जी हाँ, जगह मालूम है।'],
      ],
      proposal: [
        'क्या आप {day} को {time} आ सकते हैं?',
        'अपॉइंटमेंट के लिए {day} को {time} कैसा रहेगा?',
        'हमारे पास अगला ख़ाली समय {day} को {time} है। क्या इसे बुक कर दें?',
        'क्या आपकी अपॉइंटमेंट {day} को {time} रख दें?',
      ],
    },
    lead: {
      purpose: [
        'मुझे यह जानना था कि हमारी सेवा आपके काम आ सकती है या नहीं।',
        'हम आपकी ज़रूरत समझना चाहते हैं, ताकि आपको सही प्रस्ताव दे सकें।',
        'आपको अपनी सेवा के बारे में बताने के लिए फ़ोन किया है।',
      ],
      questions: [
        ['अभी आप यह काम कैसे करते हैं?', 'ज़्यादातर ख़ुद ही, और समय बहुत लगता है।'],
        ['यह कितने लोगों के लिए होगा?', 'हम करीब बारह लोग हैं।'],
        ['आप कब से शुरू करना चाहेंगे?', 'अगले महीने से ठीक रहेगा।'],
        ['क्या आपने कोई बजट सोचा है?', 'मोटे तौर पर, हाँ। निर्भर करता है कि उसमें क्या-क्या मिलेगा।'],
        ['क्या इसका फ़ैसला आप ही करते हैं?', 'मैं और मेरे पार्टनर मिलकर।'],
      ],
      proposal: [
        'क्या हमारे विशेषज्ञ आपके लिए एक प्रस्ताव तैयार करें?',
        'क्या आप इसे और विस्तार से देखना चाहेंगे?',
        'क्या आपकी जानकारी हमारे विशेषज्ञ को दे दें, ताकि वे आपको कोटेशन भेज सकें?',
      ],
    },
    payment: {
      purpose: [
        'आपके खाते की बकाया रकम के बारे में फ़ोन किया है।',
        'आपके खाते में एक भुगतान बाकी है, और हम उसे निपटाने में आपकी मदद करना चाहते हैं।',
        'आपके पिछले बिल के बारे में बात करनी थी, उसका भुगतान अभी नहीं मिला है।',
      ],
      questions: [
        ['क्या आपको बिल मिल गया था?', 'जी हाँ, यहीं कहीं रखा है।'],
        ['क्या आपको रकम याद है?', 'देखने दीजिए। हाँ, याद आ गया।'],
        ['क्या आपका ईमेल पता वही है?', 'जी, वही है।'],
        ['क्या भुगतान में कोई दिक्कत आई थी?', 'मेरी जानकारी में तो नहीं।'],
        ['क्या दो किस्तों में देना आसान रहेगा?', 'नहीं, उससे ज़्यादा फ़र्क नहीं पड़ेगा।'],
      ],
      proposal: [
        'क्या बकाया भुगतान आज हो सकता है?',
        'बकाया रकम आप कैसे चुकाना चाहेंगे?',
        'हम आपको भुगतान का सुरक्षित लिंक भेज सकते हैं। क्या अभी कर लें?',
      ],
    },
    survey: {
      purpose: [
        'हम जानना चाहते हैं कि हमारी सेवा आपको कैसी लगी।',
        'हम कुछ ग्राहकों की राय ले रहे हैं, और आपकी राय हमारे लिए ज़रूरी है।',
        'हमारी सेवा के बारे में एक छोटा-सा सर्वे है।',
      ],
      questions: [
        ['हमसे संपर्क करना कितना आसान रहा?', 'काफ़ी आसान। तुरंत बात हो गई।'],
        ['क्या आपके सभी सवालों के जवाब मिले?', 'ज़्यादातर मिल गए।'],
        ['क्या कोई बात पसंद नहीं आई?', 'सच कहूँ तो, इंतज़ार थोड़ा लंबा था।'],
        ['सबसे अच्छा क्या लगा?', 'सबका व्यवहार बहुत अच्छा था।'],
        ['क्या आपने हमारी वेबसाइट भी देखी है?', 'हाँ, कई बार। ठीक चलती है।'],
      ],
      proposal: [
        'क्या आप हमें एक से दस के बीच कोई अंक देंगे?',
        'क्या आप बता सकते हैं कि एक से दस में हमारी सेवा कैसी रही?',
        'कुल मिलाकर, क्या आप हमें एक से दस में कोई अंक देना चाहेंगे?',
      ],
    },
    reminder: {
      purpose: [
        'हमारे साथ जो आपका कार्यक्रम तय है, बस वही याद दिलाने के लिए फ़ोन किया है।',
        'यह बस एक छोटा-सा रिमाइंडर है, ताकि तारीख़ आपको याद रहे।',
        'बस यह पक्का करना था कि हमारी तय तारीख़ आपको याद है।',
      ],
      questions: [
        ['क्या आपके पास सब ज़रूरी चीज़ें हैं?', 'जी, सब कुछ है।'],
        ['हमने जो जानकारी भेजी थी, क्या वह आपके पास है?', 'हाँ, ईमेल में है।'],
        ['क्या पिछली बातचीत के बाद कुछ बदला है?', 'मेरी तरफ़ से तो नहीं।'],
        ['क्या एक दिन पहले फिर याद दिला दें?', 'हाँ, अच्छा रहेगा।'],
      ],
      proposal: ['क्या इसे पक्का मान लें?', 'क्या सब कुछ तय योजना के अनुसार है?', 'तो क्या इसे कन्फ़र्म कर दें?'],
    },
    other: {
      purpose: [
        'आपके लिए एक अच्छा प्रस्ताव है, उसी के बारे में बताना था।',
        'हमारे पास आपके लिए कुछ नया है, इसलिए फ़ोन किया है।',
        'मुझे आपसे एक ऐसी बात करनी थी जिससे आपका काम आसान हो सकता है।',
      ],
      questions: [
        ['क्या आपने पहले हमारे बारे में सुना था?', 'जी, एक दोस्त ने बताया था।'],
        ['यह सिर्फ़ आपके लिए होगा?', 'मेरे और परिवार के लिए।'],
        ['क्या आप पहले कुछ जानना चाहेंगे?', 'फ़िलहाल तो नहीं।'],
        ['क्या आपसे इसी नंबर पर बात करना ठीक रहेगा?', 'जी, यही नंबर ठीक है।'],
      ],
      proposal: ['तो क्या इसे आगे बढ़ाएँ?', 'क्या यह आपके लिए ठीक रहेगा?', 'तो क्या ऐसा ही कर लें?'],
    },
  },
  endings: {
    appointment_scheduled: {
      decision: [
        'जी, {day} को {time} मेरे लिए ठीक है।',
        'हाँ, बिल्कुल ठीक है।',
        'ज़रा कैलेंडर देखने दीजिए। हाँ, चलेगा।',
        '{day}? हाँ, कोई दिक्कत नहीं। मेरा नाम लिख लीजिए।',
        'जी, {time} पहुँचना हो जाएगा।',
      ],
      closing: [
        'बहुत बढ़िया, {day} को {time} आपका समय पक्का है। पुष्टि का एसएमएस मिल जाएगा। नमस्ते।',
        'आपकी बुकिंग हो गई: {day} को {time}। तब मिलते हैं, आपका दिन शुभ हो।',
        'ठीक है, तो {day} को {time}। बहुत-बहुत धन्यवाद, फिर मिलेंगे।',
        'हो गया। {day} को {time} आपका इंतज़ार रहेगा।',
      ],
    },
    lead_qualified: {
      decision: [
        'हाँ, यह दिलचस्प लग रहा है। जानकारी भेज दीजिए।',
        'जी, हमें ऐसी ही चीज़ की तलाश थी।',
        'हाँ, ज़रूर। हमें इसी महीने फ़ैसला करना है।',
        'हाँ, जितनी जल्दी हो उतना अच्छा।',
      ],
      closing: [
        'बहुत बढ़िया। हमारे विशेषज्ञ एक दिन के अंदर आपसे संपर्क करेंगे। समय देने के लिए धन्यवाद।',
        'ठीक है, सब नोट कर लिया है। जल्द ही आपसे बात होगी। नमस्ते।',
        'धन्यवाद, यह जानकारी अभी आगे भेज देते हैं। आपका दिन शुभ हो।',
      ],
    },
    payment_collected: {
      decision: [
        'लिंक भेज दीजिए, अभी हो जाएगा। एक मिनट। लीजिए, हो गया।',
        'कार्ड पास में ही है, अभी कर देते हैं। हाँ, भुगतान हो गया।',
        'अरे, यह तो ध्यान से उतर गया था। ऐप से कर दिया है।',
      ],
      closing: [
        'धन्यवाद, भुगतान मिल गया है। अब आपके खाते में कुछ बाकी नहीं है। आपका दिन शुभ हो।',
        'बढ़िया, रकम आ गई है और रसीद भेजी जा रही है। नमस्ते।',
        'धन्यवाद, बस इतना ही था। कष्ट के लिए क्षमा करें। नमस्ते।',
      ],
    },
    payment_promised: {
      decision: [
        'अभी तो नहीं हो पाएगा, पर {day} को कर दिया जाएगा।',
        'वेतन आते ही, {day} को ट्रांसफ़र हो जाएगा।',
        '{day} तक का समय दीजिए, तब तक पक्का हो जाएगा।',
      ],
      closing: [
        'धन्यवाद, भुगतान के लिए {day} नोट कर लिया है। नमस्ते।',
        'ठीक है, {day} लिख लिया है। आपका दिन शुभ हो।',
        'धन्यवाद। तो {day} को भुगतान का इंतज़ार रहेगा। नमस्ते।',
      ],
    },
    payment_refused: {
      decision: [
        'मुझे यह रकम सही नहीं लगती, इसलिए इसका भुगतान नहीं होगा।',
        'माफ़ कीजिए, इस समय भुगतान करना मुमकिन नहीं है।',
        'नहीं। इस बिल की शिकायत पहले ही दर्ज है।',
      ],
      closing: [
        'ठीक है, यह नोट कर लिया है। हमारी टीम इसकी जाँच करेगी। नमस्ते।',
        'साफ़-साफ़ बताने के लिए धन्यवाद। यह बात आगे पहुँचा देंगे। नमस्ते।',
        'ठीक है, हम अपनी तरफ़ से देखकर आपको लिखेंगे। नमस्ते।',
      ],
    },
    survey_completed: {
      decision: [
        'मेरी तरफ़ से आठ।',
        'नौ। कुल मिलाकर सब अच्छा है।',
        'सात। थोड़ा सुधार हो सकता है।',
        'दस। कोई शिकायत नहीं है।',
        'शायद छह। पहले बेहतर था।',
      ],
      closing: [
        'धन्यवाद, बस इतना ही पूछना था। आपके जवाब हमारे बहुत काम आएँगे। नमस्ते।',
        'नोट कर लिया है। समय देने के लिए धन्यवाद, आपका दिन शुभ हो।',
        'खुलकर बताने के लिए धन्यवाद। यह आख़िरी सवाल था। नमस्ते।',
      ],
    },
    reminder_confirmed: {
      decision: [
        'जी, सब ठीक है। कैलेंडर में लिखा हुआ है।',
        'हाँ, बिल्कुल पक्का है। याद दिलाने के लिए धन्यवाद।',
        'अच्छा हुआ कि आपने फ़ोन किया। हाँ, सब तय है।',
      ],
      closing: [
        'बढ़िया, इसे पक्का कर दिया है। धन्यवाद, नमस्ते।',
        'ठीक है, तो सब तय है। आपका दिन शुभ हो।',
        'धन्यवाद, बस यही जानना था। नमस्ते।',
      ],
    },
    goal_achieved: {
      decision: ['जी, मेरे लिए ठीक है।', 'हाँ, ऐसा ही करते हैं।', 'अच्छा लग रहा है, ठीक है।', 'हाँ, क्यों नहीं। कर दीजिए।'],
      closing: [
        'बहुत बढ़िया, यह काम अभी हो जाएगा। धन्यवाद, नमस्ते।',
        'ठीक है, सब नोट कर लिया है। आपका दिन शुभ हो।',
        'बहुत अच्छा। समय देने के लिए धन्यवाद, नमस्ते।',
      ],
    },
    callback_requested: {
      decision: [
        'अभी मुझे निकलना है। क्या आप {day} को {time} फ़ोन कर सकते हैं?',
        'मुझे थोड़ा सोचना है। क्या {day} को {time} फिर बात हो सकती है?',
        'माफ़ कीजिए, दरवाज़े पर कोई है। {day} को {time} फिर फ़ोन कीजिए।',
        'पहले घर में पूछना होगा। {day} को {time} फ़ोन कीजिए, तब बता देंगे।',
        'अभी कुछ कहना मुश्किल है। {day} को {time} बात करें?',
      ],
      closing: [
        'ज़रूर। {day} को {time} आपको फिर फ़ोन आएगा। नमस्ते।',
        'कोई बात नहीं, {day} को {time} नोट कर लिया है। तब बात करते हैं।',
        'ठीक है, तो {day} को {time} बात होगी। आपका दिन शुभ हो।',
      ],
    },
    not_interested: {
      decision: [
        'धन्यवाद, पर मेरी इसमें रुचि नहीं है।',
        'जी नहीं, रहने दीजिए।',
        'नहीं, माफ़ कीजिए। यह मेरे काम का नहीं है।',
        'सच कहूँ तो नहीं, पर पूछने के लिए धन्यवाद।',
        'जी नहीं। कृपया इसके लिए दोबारा फ़ोन न करें।',
      ],
      closing: [
        'कोई बात नहीं। समय देने के लिए धन्यवाद, आपका दिन शुभ हो।',
        'ठीक है, बात सुनने के लिए धन्यवाद। नमस्ते।',
        'कोई दिक्कत नहीं, यह नोट कर लिया है। नमस्ते।',
      ],
    },
  },
  goodbye: ['धन्यवाद, नमस्ते।', 'ठीक है, नमस्ते।', 'अच्छा, धन्यवाद।', 'फ़ोन करने के लिए धन्यवाद। नमस्ते।'],
  voicemail: {
    tone: [
      'कृपया बीप के बाद अपना संदेश छोड़ें।',
      'आप जिनसे संपर्क करना चाहते हैं, वे अभी उपलब्ध नहीं हैं। बीप के बाद संदेश छोड़ें।',
      'नमस्ते, अभी फ़ोन उठाना मुमकिन नहीं है। कृपया संदेश छोड़ दें।',
    ],
    missed: ['आपसे बात नहीं हो पाई।', 'आपके लिए एक छोटा-सा संदेश है।', 'अफ़सोस, आप फ़ोन पर नहीं मिले।'],
    closing: [
      'समय मिलने पर कृपया इसी नंबर पर फ़ोन कीजिए। धन्यवाद, नमस्ते।',
      'हम फिर कभी फ़ोन करेंगे। आपका दिन शुभ हो।',
      'सोमवार से शुक्रवार आप इसी नंबर पर बात कर सकते हैं। धन्यवाद, नमस्ते।',
    ],
  },
};

export const PHRASES: Record<Language, Phrases> = { en: ENGLISH, es: SPANISH, hi: HINDI };
